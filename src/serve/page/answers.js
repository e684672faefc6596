// Answers of a search and of a lookup, and why something is among them or not.

function show(count, nodes, notes = []) {
  byId("count").textContent = count;
  byId("trouble").replaceChildren();
  byId("notes").replaceChildren(...notes.map((note) => el("li", {}, note)));
  byId("notes").hidden = !notes.length;
  // Whoever is at a hit stays at its place when the answer to what was typed last comes in.
  const hits = () => [...document.querySelectorAll("#answer .hit")];
  const at = hits().indexOf(document.activeElement?.closest(".hit"));
  byId("answer").replaceChildren(...nodes);
  if (at >= 0) (hits()[at] || hits().at(-1) || byId("box")).focus();
}

function showAnswer(count, nodes, answer) {
  const notes = [...(answer.notes || [])];
  if (answer.results?.some((finding) => finding.semantic === "off")) {
    notes.push("There is no model, so words and patterns alone decided.");
  }
  const took = answer.took_ms >= 0 ? `, in ${whole(Math.ceil(answer.took_ms))} ms` : "";
  show(`${count}${took}.`, nodes, notes);
}

function showSearch(answer, text) {
  const { hits = [], candidates = [], why_not } = answer.results?.[0] || {};
  const passages = hits.map((hit) => passage(hit, text));
  const found = hits.length ? [list("ol", "hits", passages)] : nothing(candidates, "search");
  const count = hits.length ? counted(hits.length, "hit") : candidates.length ? "No sure hit" : "No hit";
  showAnswer(count, [...(why_not ? [whyNot(why_not)] : []), ...found], answer);
}

let headings = 0;

/** A hit: the arrow keys go from one to the next. */
function card(kind, level, title, sure, ...children) {
  headings += 1;
  const id = `hit-${headings}`;
  const head = el("div", { class: "head" }, el(level, { id }, title), el("span", { class: "sure" }, sure));
  return el("article", { class: `hit ${kind}`, tabindex: "-1", "aria-labelledby": id }, head, children);
}

const STATES = {
  moved: "Moved since it was indexed: these are its lines now.",
  changed: "Stale: the file no longer holds this passage.",
  gone: "Stale: the file is gone.",
  unfiled: "There is no file here to compare it with.",
};

function passage(hit, text) {
  const isFresh = !hit.state || hit.state === "fresh";
  const excerpt = hit.excerpt?.lines?.length
    ? el("pre", { class: "excerpt" }, marked(hit.excerpt.lines.join("\n"), text))
    : hit.snippet && p("", marked(hit.snippet, text));
  return card("", "h3", hit.title, `${percent(hit.relevance)} sure`,
    place(hit),
    !isFresh && p("small warn", STATES[hit.state] || hit.state),
    excerpt,
    hit.memory && p("small", rests(hit.memory)),
    hit.also_in > 0 && p("faint small", `The same text stands in ${counted(hit.also_in, "other place")}.`),
    why(hit));
}

/** Where a hit comes from, and a way to take that along. */
function place(hit) {
  if (!hit.path) {
    const kind = hit.kind === "canon" ? "Known error " : hit.kind && `${hit.kind} `;
    return p("small", kind, code(hit.id), copyButton(hit.id));
  }
  // As editors take it. An excerpt begins somewhere in its passage, or before it, with the lines around it.
  const line = Math.max(hit.line_start || 0, hit.excerpt?.line_start || 0);
  const where = pathShown(hit.path) + (line ? `:${line}` : "");
  const range = hit.line_end > hit.line_start && ` ${lines(hit.line_start, hit.line_end)}`;
  return p("small", code(where), copyButton(where), range && el("span", { class: "faint" }, range));
}

/** What is said where nothing passed the gate: what came near, marked as such, or one sentence. */
function nothing(candidates, asked) {
  const level = asked === "search" ? "h3" : "h4";
  const near = (one) => card("unsure", level, one.title, `Not sure: ${percent(one.relevance)}`, place(one), why(one));
  if (candidates.length) return [p("", "Nothing sure enough. Closest:"), list("ul", "hits", candidates.map(near))];
  const within = filtersSet(asked).length > 0 && ", within the filters that are set";
  return [p("", "Nothing is known about this", within, ".")];
}

// What makes the relevance, and what only orders hits that passed the gate.
const CLOSENESS = { canon: "Known pattern", semantic: "Meaning", keyword: "Words", similar: "Both" };
const ORDER = { recency: "Recency", frequency: "Use" };

/** A number from 0 to 1 as a bar, with what it counts for; `gate` is marked in it. */
function bar(name, value, says, gate) {
  const fill = el("i", {});
  const mark = el("b", {});
  fill.style.width = `${value * 100}%`;
  mark.style.left = `${gate * 100}%`;
  return [
    el("span", {}, name),
    el("span", { class: "bar", "aria-hidden": "true" }, fill, gate > 0 && mark),
    el("span", { class: "number" }, Number(value).toFixed(2)),
    says && el("span", { class: "faint says" }, says),
  ];
}

function signals(of, { relevance, gate, score }) {
  const bars = (named, says) => Object.entries(named).filter(([name]) => of[name] != null)
    .map(([name, label]) => bar(label, of[name], of.weights?.[name] != null && says(of.weights[name])));
  const rows = [...bars(CLOSENESS, (weight) => `weight ${weight.toFixed(1)}`)];
  if (relevance != null) rows.push(bar("Relevance", relevance, gate > 0 && `${percent(gate)} needed`, gate));
  rows.push(...bars(ORDER, (weight) => `up to ${percent(weight)} of the score`));
  if (score != null) rows.push(bar("Score", score, "orders the hits"));
  return list("ul", "signals", rows);
}

/** Relevance, gate and margin in words. */
function inWords(relevance, gate, margin) {
  if (gate === 0) return "A known pattern or text decides here. No gate applies.";
  const away = `${counted(Math.round(Math.abs(margin) * 100), "point")} ${margin < 0 ? "below" : "above"} the gate`;
  return `The estimated chance that it is right is ${percent(relevance)}; ${percent(gate)} is needed. It is ${away}.`;
}

function why(hit) {
  const of = hit.explain;
  const elsewhere = of?.weights?.elsewhere;
  const isOfLayer = hit.source && !/^(canon:|index$|memory$)/.test(hit.source);
  const reason = hit.override_reason ? `: ${hit.override_reason}` : "";
  const before = hit.memory ? "It stands before what packs say" : "It replaces an entry with the same id";
  return el("details", { class: "why" }, el("summary", {}, "Why"),
    of && [p("", inWords(hit.relevance, of.gate, of.margin)), signals(of, { ...hit, gate: of.gate })],
    elsewhere != null && p("", `It is of another repository, which takes ${percent(elsewhere)} off its score.`),
    of?.rerank != null && p("", `The cross-encoder gives it ${of.rerank.toFixed(2)} (a logit).`),
    of?.matched && p("", "Nearest: ", code(of.matched)),
    isOfLayer && p("", `From ${hit.source}.`),
    hit.overrides_canon && p("", `${before}${reason}.`),
    hit.memory && p("", "It counts in ", code(hit.memory.scope), ` (${hit.memory.authority}, ${hit.memory.source}).`),
    p("faint", "Id ", code(hit.id), copyButton(hit.id)));
}

const times = (number) => (number === 1 ? "once" : `${whole(number)} times`);

/** What a memory rests on, in words. */
function rests({ trial, sessions, confidence, validated }) {
  const tried = [
    trial?.worked > 0 && `worked ${times(trial.worked)}`,
    trial?.failed > 0 && `did not help ${times(trial.failed)}`,
    `met in ${counted(sessions, "session")}`,
  ];
  const word = validated ? "A person has confirmed it" : "No person has confirmed it yet";
  return `Learnt here: ${tried.filter(Boolean).join(", ")}. It is ${confidence} % sure. ${word}.`;
}

/** What was tried before and did not help. */
function attempt({ id, text, failed, sessions }) {
  const often = ` (${times(failed)}, in ${counted(sessions, "session")}) `;
  return [prose(text), el("span", { class: "faint" }, often), code(id), copyButton(id)];
}

function whyNot(of) {
  return el("article", { class: "hit why", tabindex: "-1", "aria-label": "Why it is missing" },
    p("", code(of.id), of.stage === "shown" ? " is shown: " : " is not shown: ", of.reason, "."),
    of.relevance != null && p("", inWords(of.relevance, of.gate, of.margin)),
    of.signals && signals(of.signals, of));
}

function showLookup(answer) {
  const findings = answer.results || [];
  const known = findings.filter((finding) => finding.hits?.length).length;
  const hits = findings.flatMap((finding) => finding.hits || []).length;
  const several = findings.length > 1;
  const near = findings.some((finding) => finding.candidates?.length);
  const one = known ? counted(hits, "answer") : near ? "No sure answer" : "No answer";
  const count = several ? `${counted(findings.length, "error")}, ${known || "none"} of them known` : one;
  const left = answer.errors_found - answer.errors_shown;
  const more = left > 0 ? [p("faint finding", `Not shown: ${counted(left, "more error")} of this log.`)] : [];
  showAnswer(count, [...findings.map((finding) => problem(finding, several)), ...more], answer);
}

/** One error of the input, and what is known about it. */
function problem(finding, several) {
  const { headline, line_start, line_end, repeated, likelihood } = finding.error;
  const { hits = [], candidates = [], also_seen: seen = [], rejected = [], failed = [] } = finding;
  const isSilent = !hits.length && !seen.length && (candidates.length > 0 || !failed.length);
  const said = [
    (several || line_end > 1) && lines(line_start, line_end),
    repeated > 1 && `${whole(repeated)} times`,
    several && likelihood != null && `${percent(likelihood)} likely to be the reason of the failure`,
  ];
  const titles = seen.map((one) => `${one.title} (line ${one.line_start})`).join("; ");
  return el("section", { class: "finding" },
    el("h3", {}, code(headline)),
    p("faint small", said.filter(Boolean).join(", ")),
    finding.why_not && whyNot(finding.why_not),
    isSilent ? nothing(candidates, "lookup") : hits.map(advice),
    failed.length > 0 && [p("warn small", "Tried before, and did not help:"), list("ul", "tried", failed.map(attempt))],
    seen.length > 0 && p("small", `Also seen: ${titles}.`),
    rejected.length > 0 && p("faint small", `Left out, because you said that it is wrong: ${rejected.join(", ")}.`));
}

const TIERS = {
  exact: ["Exact", "A pattern of this entry matches, so the cause is known."],
  fingerprint: ["Known case", "The text equals a known one, apart from what varies, such as paths and numbers."],
  general: ["General", "This is true of any error of the kind. It does not say why this one happened."],
  close: ["Close", "Words and meaning are near enough. It is a guess that passed the gate."],
};
const ROLES = { consequence: " A consequence of something else.", warning: " A warning only." };

function advice(hit) {
  const { fix = [], variants = [], references = [], tried, tier } = hit;
  const [name, meaning] = TIERS[tier] || [tier, ""];
  const captures = Object.entries(hit.captures || {}).map(([key, value]) => [key, code(value)]);
  const part = (...children) => el("div", { class: "part" }, children);
  const step = (text, at) => [prose(text, true), loses(hit, at + 1)];
  const command = `ken canon show ${hit.id}`;
  const allSteps = fix.map((text, at) => `${at + 1}. ${text}`).join("\n");
  return card(tier === "close" || tier === "general" ? "unsure" : "", "h4", hit.title,
    tier === "close" ? `${percent(hit.relevance)} sure` : name,
    p("faint small", meaning, ROLES[hit.role]),
    variants.length > 0 && p("faint small", `Of this kind: ${variants.join(", ")}.`),
    hit.cause && [part("Cause", copyButton(hit.cause, "the cause")), p("", prose(hit.cause))],
    fix.length > 0 && [part("Fix", copyButton(allSteps, "all steps")), list("ol", "steps", fix.map(step))],
    hit.other_steps > 0 && p("faint small", `For other platforms, ${counted(hit.other_steps, "more step")}: `,
      code(command), copyButton(command)),
    hit.memory && p("small", rests(hit.memory)),
    captures.length > 0 && [part("From your text"), pairs(captures)],
    tried && p("faint small", `You said that it worked: ${tried.worked}, that it was wrong: ${tried.wrong}.`),
    references.length > 0 && p("small", "More: ", references.map((one, at) => [at > 0 && ", ", reference(one)])),
    why(hit));
}

function loses(hit, step) {
  const lost = hit.destructive?.find((one) => one.step === step);
  return lost && p("warn small", el("strong", {}, "Destroys something: "), `loses ${lost.loses}.`);
}

/** A link only where it leads to the web: an address of another scheme can run code. */
function reference(address) {
  if (!/^https?:\/\/\S+$/i.test(address)) return address;
  return el("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, address);
}

/** Failures by how often they were met; `end` picks those that were overcome, or never were. */
function showFailures({ failures = [], kept, notes = [] }, end) {
  const wanted = failures.filter((one) => !end || (end === "overcome") === Boolean(one.overcome));
  const isSet = question() || filtersSet("failures").length;
  const none = isSet
    ? "Nothing of the kind failed here."
    : ["Nothing was reported here. Agents report what they run to ", code("ken hook post-tool"), "."];
  const more = [...notes];
  if (failures.length >= MOST_FAILURES) more.push(`Of all kinds the ${whole(MOST_FAILURES)} most frequent are here.`);
  if (kept.lost.total > 0) more.push(`${counted(kept.lost.total, "run")} could not be kept.`);
  const all = `${counted(kept.rows, "run")} in ${counted(kept.sessions, "session")} kept`;
  const shown = wanted.length ? [list("ol", "hits", wanted.map(failure))] : [p("", none)];
  show(`${counted(wanted.length, "kind")} of failures; ${all}.`, shown, more);
}

function failure({ tool, head, example, count, sessions, first_at, last_at, overcome, places = [] }) {
  const where = ({ file, line, column }) => [pathShown(file), line, column].filter(Boolean).join(":");
  const day = (at) => new Date(at).toLocaleDateString();
  const said = example.split("\n").find((one) => one.trim()) || "";
  const when = day(first_at) === day(last_at) ? `on ${day(last_at)}` : `from ${day(first_at)} to ${day(last_at)}`;
  return card(overcome ? "" : "unsure", "h3", head ? `${tool}: ${head}` : tool, counted(count, "time"),
    said && p("", code(said)),
    places.map((one) => p("small", code(where(one)), copyButton(where(one)), " ", one.message)),
    p("faint small", `In ${counted(sessions, "session")}, ${when}.`),
    overcome ? p("", "Overcome by: ", prose(overcome, true)) : p("warn small", "Never overcome, as far as is known."),
    said && el("details", { class: "why" }, el("summary", {}, "The error"),
      el("pre", { class: "excerpt" }, example), button("Look it up", () => lookUp(example))));
}
