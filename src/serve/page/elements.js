// Making elements, and numbers in words. Text of documents, logs and errors becomes text nodes only: nothing on this
// page parses HTML.

const byId = (id) => document.getElementById(id);

// What moves, reorders or cannot be seen, as `screen` has it, but tabs and line feeds. Without it a text reads as what
// it is, and nobody copies a command that is another one than is seen.
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\p{DI}\ufff9-\ufffb]/gu;
const visible = (text) => String(text).replace(HIDDEN, "");

/** A path on one line. What is hidden in it is written out, since without it the path is that of another file. */
function pathShown(path) {
  return path.replace(/\s/g, (space) => (space === " " ? " " : escaped(space))).replace(HIDDEN, escaped);
}

const escaped = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;

/** An element. Attributes may be `on...` functions; children are nodes, lists, or values, which become text. */
const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value != null) node.setAttribute(name, value);
  }
  const given = children.flat(Infinity).filter((child) => child != null && child !== false);
  node.append(...given.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}

const p = (kind, ...children) => el("p", { class: kind }, children);
const code = (text) => el("code", {}, text);
const list = (tag, kind, items) => el(tag, { class: kind }, items.map((item) => el("li", {}, item)));
const pair = ([name, value]) => [el("dt", {}, name), el("dd", {}, value)];
const pairs = (all) => el("dl", { class: "pairs" }, all.map(pair));
const button = (text, onclick, more) => el("button", { type: "button", onclick, ...more }, text);

/** A button that copies `text`; `what` completes its name for those who do not see where it stands. */
function copyButton(text, what = text) {
  const say = (label, aloud) => {
    node.textContent = label;
    byId("said").textContent = visible(aloud);
  };
  const node = button("Copy", async () => {
    const done = (await copy(visible(text))) ? "Copied" : "Not copied";
    say(done, `${done}: ${what}`);
    setTimeout(say, 1500, "Copy", "");
  }, { class: "copy", "aria-label": `Copy ${visible(what)}` });
  return node;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers have a clipboard on loopback and with HTTPS only. This older way works everywhere.
    const before = document.activeElement;
    const area = el("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    return done;
  }
}

/** Prose with `code` in backticks. What looks like a command gets a button to copy it, if asked for. */
function prose(text, withCopy = false) {
  return String(text).split(/`([^`\n]+)`/).map((part, at) => {
    if (at % 2 === 0) return part;
    return [code(part), withCopy && /^[a-z][\w./+-]* [^.]/.test(part) && copyButton(part)];
  });
}

const COMMON = ("and are but can does for from get has have how into not our that the this was what when where which " +
  "who why will with you").split(" ");

/** Text in which the words of the question are marked, whatever their ending. */
function marked(text, question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu)?.filter((word) => !COMMON.includes(word));
  if (!words?.length) return text;
  const stems = words.map((word) => word.replace(/(?<=.{4})(?:ing|ed|es|s)$/u, ""));
  const pattern = new RegExp(`((?<![\\p{L}\\p{N}])(?:${stems.join("|")})[\\p{L}\\p{N}]*)`, "giu");
  return String(text).split(pattern).map((part, at) => (at % 2 ? el("mark", {}, part) : part));
}

const whole = (number) => Number(number).toLocaleString("en");
const counted = (number, one) => `${whole(number)} ${one}${number === 1 ? "" : "s"}`;
// The space is one that no line breaks at.
const percent = (share) => `${share > 0 && share < 0.005 ? "under 1" : Math.round(share * 100)}\u00a0%`;
const lines = (first, last) => (first === last || !last ? `line ${first}` : `lines ${first}–${last}`);
