// The page itself: what it says without an answer, the status, and the keyboard.

const EXAMPLE = "fatal: refusing to merge unrelated histories";
const MOST_STALE_FILES = 20;

let state = null;

// What the page says in each mode.
const MODES = {
  search: {
    go: "Search", label: "Question", hint: "What do you want to know?", middle: "hits",
    what: "Ask in your own words. You get the passages that answer, or nothing if nothing does.",
  },
  lookup: {
    go: "Look up", label: "Error or log", hint: "Paste an error, or a whole log",
    what: "Paste what went wrong. You get the cause and the fix, or nothing if nothing is known.",
  },
  failures: {
    go: "Show", label: "Tool", hint: "All tools, or one, such as cargo", middle: "failures",
    what: "You get what failed here, how often, and what made it go away.",
  },
  tools: {
    go: "Find", label: "Task", hint: "What is to be done?", middle: "tools",
    what: "Say what is to be done. You get the few tools that fit, why, and the order in which they run.",
  },
};

function showWelcome() {
  const { what } = MODES[mode()];
  const holds = state && `Here are ${counted(state.files, "file")} and ${counted(state.canon, "known error")}. `;
  const example = p("small", button(`Try: ${EXAMPLE}`, () => setBox(EXAMPLE)));
  const kept = p("faint small", holds, "What you type goes to this service only, and is not kept.");
  show("", [p("", what), kept, mode() === "lookup" && example].filter(Boolean));
}

/** What failed, in words, with a way to try again. */
function showTrouble(got, again) {
  show("", []);
  if (got.status === 401) return showTokenForm();
  const { title, detail, hint } = got.problem || {};
  const seconds = Number(got.retryAfter);
  let [what, more] = [title || `The service answered with status ${got.status}.`, detail];
  if (got.unreachable) {
    what = "The service does not answer.";
    more = ["Nothing can be reached at ", location.host, ". Is ", code("ken serve"), " still running?"];
  } else if (got.status === 429) {
    what = "The service is busy.";
    more = `Try again ${seconds > 0 ? `in ${counted(seconds, "second")}` : "in a moment"}.`;
  }
  const said = [p("", el("strong", {}, what)), more && p("", more), hint && p("", "What helps: ", prose(hint, true))];
  const retry = button("Try again", () => {
    // The button goes away, and the focus must not go with it.
    box.focus();
    again();
  });
  byId("trouble").replaceChildren(el("div", { class: "trouble" }, said, retry));
}

function showTokenForm() {
  byId("token-wrong").hidden = !token.get();
  byId("token-form").hidden = false;
  byId("token").focus();
}

function useToken(event) {
  event.preventDefault();
  token.set(byId("token").value);
  byId("token").value = "";
  again();
}

// The status.

async function readStatus() {
  const got = await call("v1/status");
  if (got.answer) {
    state = got.answer;
    const [kind, scope] = FILTERS;
    offer(kind, Object.keys(state.items || {}));
    offer(scope, (state.scopes || []).map((one) => one.scope));
  }
  return got;
}

async function openStatus() {
  const body = byId("status-body");
  body.replaceChildren(p("faint", "Asking the service..."));
  byId("status").showModal();
  const got = await readStatus();
  if (got.answer) return body.replaceChildren(...statusNodes(got.answer));
  byId("status").close();
  showTrouble(got, openStatus);
}

function statusNodes(of) {
  const files = (names, what) => names?.length > 0 && [
    p("", `${counted(names.length, "file")} ${what}:`),
    list("ul", "", names.slice(0, MOST_STALE_FILES).map(pathShown)),
    names.length > MOST_STALE_FILES && p("", `and ${whole(names.length - MOST_STALE_FILES)} more`),
  ];
  const stale = [files(of.changed, "changed"), files(of.gone, "gone"), files(of.unreadable, "unreadable")];
  const advised = [stale, p("", prose("`ken index` brings the index up to date."))];
  const items = Object.entries(of.items || {}).map(([kind, count]) => `, ${whole(count)} ${KINDS[kind] || kind}`);
  const folders = (of.folders || []).map((one) => `${pathShown(one.path)} (${counted(one.files, "file")})`);
  const scopes = (of.scopes || []).map((one) => `${one.scope} (${counted(one.items, "item")})`);
  const computed = of.model && of.instructions && `, computed with ${of.instructions} instructions.`;
  const otherModel = !of.models_agree && ` The index is made with another one: ${of.index_model}.`;
  const all = [
    ["Indexed", [counted(of.files, "file"), items]],
    ["Packs", counted(of.canon, "known error")],
    ["Stale", stale.some(Boolean) ? advised : "No. Every file is as it was indexed."],
    ["Last indexed", of.last_indexed ? new Date(of.last_indexed).toLocaleString() : "never"],
    ["Folders", folders.length ? list("ul", "", folders) : "none"],
    ["Scopes", scopes.length ? list("ul", "", scopes) : "none"],
    ["Model", [of.model || "None. Words and patterns alone decide.", computed, otherModel]],
    ["Gate", gateInWords(of.gate)],
    ["Vectors", `${whole(of.vectors)}; ${counted(of.without_vector, "text")} without one`],
    ["Size", `${(of.bytes / 1e6).toFixed(1)} MB`],
    of.writer && ["Writing now", of.writer],
    of.traces_left && ["Forgotten", "Traces of what was forgotten are left on the disk."],
  ];
  const complaints = of.complaints?.length ? [list("ul", "trouble", of.complaints)] : [];
  return [...complaints, pairs(all.filter(Boolean))];
}

function gateInWords(gate) {
  if (!gate) return "That of the model's calibration, or of your labels.";
  const [noise, low, high] = gate.noise.map((share) => `${(share * 100).toFixed(1)}\u00a0%`);
  const others = `${counted(gate.questions, "question")} about other things`;
  const through = `${noise} (${low} to ${high}) pass it; ${percent(gate.max_noise)} may`;
  return `Fitted to ${counted(gate.texts, "text")}. Of ${others} ${through}.`;
}

// The box and the keyboard.

function showMode() {
  const { go, label, hint, middle: through } = MODES[mode()];
  byId("ask").dataset.mode = mode();
  byId("go").textContent = go;
  byId("box-label").textContent = label;
  box.placeholder = hint;
  byId("missing").hidden = mode() === "failures" || mode() === "tools";
  byId("filters").hidden = mode() === "tools";
  const middle = through ? `the arrow keys go through the ${through}` : "Shift and Enter begins a line";
  byId("keys").textContent = `Enter asks at once, ${middle}, Escape clears, / comes back here.`;
  for (const filter of FILTERS) filter.row.hidden = filter.mode !== mode();
  const set = filtersSet(mode()).length;
  byId("filter-count").textContent = set ? `: ${set} set` : "";
  byId("clear-filters").hidden = !set;
  fitBox();
}

/** The box grows with what is in it; the style sheet says how far. */
function fitBox() {
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
  byId("is-log").hidden = mode() !== "search" || !box.value.trim().includes("\n");
}

function setBox(text) {
  box.value = text;
  fitBox();
  box.focus();
  ask();
}

// A tool is no question: each has a text of its own in the box.
let otherText = "";
let isOfFailures = mode() === "failures";

function modeChanged() {
  if (isOfFailures !== (mode() === "failures")) [box.value, otherText] = [otherText, box.value];
  isOfFailures = mode() === "failures";
  filtersChanged();
}

function lookUp(text) {
  byId("mode-lookup").checked = true;
  modeChanged();
  setBox(text);
}

/** Moves the focus by one hit; before the first is the box. */
function goTo(step, from) {
  const hits = [...document.querySelectorAll(".hit")];
  const at = hits.indexOf(from) + step;
  (at < 0 ? box : hits[at])?.focus();
}

/** What a key does where the focus is at; null where it is the browser's. */
function actionOf(key, at, withShift) {
  const hit = at.closest(".hit");
  const isField = at.matches("textarea, input:not([type=radio]), select");
  const isAtEnd = at === box && (mode() !== "lookup" || box.selectionStart === box.value.length);
  if (key === "/" && !isField) return () => box.select();
  if (key === "Escape") return isField && at !== box ? () => box.focus() : () => setBox("");
  if (key === "Enter" && at === box && !(withShift && mode() === "lookup")) return ask;
  if (key === "Enter" && at === hit) return () => hit.querySelector("summary")?.click();
  if (key === "ArrowDown" && (hit || isAtEnd)) return () => goTo(1, hit);
  if (key === "ArrowUp" && hit) return () => goTo(-1, hit);
  return null;
}

function onKey(event) {
  // Keys that compose a character, or come with another one, are the browser's; so are all in the status.
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || byId("status").open) return;
  const action = actionOf(event.key, event.target, event.shiftKey);
  if (!action) return;
  event.preventDefault();
  action();
}

/** Asks for the status first: it says what can be asked, and whether the token is right. */
async function start() {
  const got = await readStatus();
  if (!got.answer) return showTrouble(got, again);
  byId("token-form").hidden = true;
  if (mode() === "failures") ask();
  else if (!question()) showWelcome();
}

/** Begins anew, with what is in the box by now. */
async function again() {
  await start();
  if (!byId("token-form").hidden) return;
  box.focus();
  if (state && question() && mode() !== "failures") ask();
}

token.takeFromAddress();
makeFilters();
showMode();
showWelcome();
box.focus();
start();

const on = (id, event, run) => byId(id).addEventListener(event, run);
on("box", "input", (event) => {
  fitBox();
  if (!event.isComposing) askSoon();
});
on("box", "compositionend", askSoon);
on("ask", "submit", (event) => {
  event.preventDefault();
  ask();
});
for (const id of ["mode-search", "mode-lookup", "mode-failures", "mode-tools"]) {
  on(id, "change", modeChanged);
  // With the mouse, what comes next is typing; keys that choose stay where they are.
  on(id, "click", (event) => event.detail > 0 && box.focus());
}
on("to-lookup", "click", () => {
  byId("mode-lookup").checked = true;
  modeChanged();
  box.focus();
});
on("clear-filters", "click", clearFilters);
on("token-form", "submit", useToken);
on("open-status", "click", openStatus);
on("close-status", "click", () => byId("status").close());
addEventListener("keydown", onKey);
// The address with a token may be pasted into a tab that shows the page already.
addEventListener("hashchange", () => token.takeFromAddress() && again());
