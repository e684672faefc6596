// What is sent to the service, and what comes back. The question stands in the box and in the request: not in the
// address of the page, and in no storage.

const DEBOUNCE_MS = 150;
const LEAST_CHARACTERS = 2;
const MOST_HITS = 10;
const CONTEXT_LINES = 2;
const MOST_FAILURES = 200;

/** The token of the service, for as long as the tab lives; without storage, until the page is loaded again. */
const token = {
  value: "",
  get() {
    try {
      return this.value || sessionStorage.getItem("token");
    } catch {
      return this.value;
    }
  },
  set(value) {
    // A header takes no other characters, and what was pasted may bring a line break along.
    this.value = value.replace(/[^\x21-\x7e]/g, "");
    try {
      sessionStorage.setItem("token", this.value);
    } catch {
      // Storage is switched off in this browser.
    }
  },
  /** Takes the token out of the address, where it would end up in bookmarks and be read over shoulders. */
  takeFromAddress() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given == null) return false;
    if (given) this.set(given);
    history.replaceState(null, "", location.pathname + location.search);
    return true;
  },
};

/** What came of a request: `{answer}`, `{problem, status, retryAfter}`, `{unreachable}` or `{aborted}`. */
async function call(path, body, signal) {
  const headers = {};
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  if (body) headers["Content-Type"] = "application/json";
  const method = body ? "POST" : "GET";
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: body && JSON.stringify(body), cache: "no-store" });
  } catch {
    return signal?.aborted ? { aborted: true } : { unreachable: true };
  }
  const failed = { status: response.status, retryAfter: response.headers.get("Retry-After") };
  try {
    const read = await response.json();
    return response.ok ? { answer: read } : { ...failed, problem: read };
  } catch {
    if (signal?.aborted) return { aborted: true };
    const title = response.ok ? "The answer of the service cannot be read." : null;
    return { ...failed, problem: { title } };
  }
}

const box = byId("box");
const mode = () => document.querySelector("[name=mode]:checked").value;

/** What is asked: a log keeps its lines, all else is one line. */
const question = () => (mode() === "lookup" ? box.value : box.value.replace(/\s+/g, " ")).trim();

/** Whether there is enough to ask. Failures are asked for by tool, or all of them. */
const isEnough = () => mode() === "failures" || question().length >= LEAST_CHARACTERS;

let timer = 0;
let running = null;

function cancel() {
  clearTimeout(timer);
  running?.abort();
  running = null;
  byId("busy").classList.remove("on");
  byId("results").removeAttribute("aria-busy");
}

function askSoon() {
  cancel();
  if (!isEnough()) ask();
  else timer = setTimeout(ask, DEBOUNCE_MS);
}

async function ask() {
  cancel();
  const text = question();
  if (!isEnough()) return showWelcome();
  const mine = new AbortController();
  running = mine;
  byId("busy").classList.add("on");
  byId("results").setAttribute("aria-busy", "true");
  const asked = mode();
  const got = asked === "failures"
    ? await call(failuresOf(text), null, mine.signal)
    : asked === "tools"
      ? await askTools(text, mine.signal)
      : await call(`v1/${asked}`, request(asked, text), mine.signal);
  // Whatever was asked since has its own controller, so an answer that comes too late is never shown.
  if (running !== mine) return;
  cancel();
  if (!got.answer) return showTrouble(got, ask);
  byId("token-form").hidden = true;
  if (asked === "search") showSearch(got.answer, text);
  else if (asked === "lookup") showLookup(got.answer);
  else if (asked === "tools") showTools(got.answer);
  else showFailures(got.answer, filtersOf(asked).end);
}

function failuresOf(tool) {
  const { since } = filtersOf("failures");
  const asked = new URLSearchParams({ limit: MOST_FAILURES, ...(tool && { tool }), ...(since && { since }) });
  return `v1/outcomes?${asked}`;
}

function request(asked, text) {
  const body = { ...filtersOf(asked), explain: true, dry_run: true };
  const missing = byId("why-not").value.trim();
  if (missing) body.why_not = missing;
  return asked === "search" ? { ...body, query: text, limit: MOST_HITS, context: CONTEXT_LINES } : { ...body, text };
}

// Kinds of what is found, in words.
const KINDS = { chunk: "passages", canon: "known errors", preference: "preferences", fact: "facts", tactic: "fixes" };

// Choices of filters in words, where they have others.
const WORDS = {
  ...KINDS, "1d": "the last day", "7d": "7 days", "30d": "30 days", "90d": "90 days", overcome: "overcome",
  open: "never overcome",
};

// Filters. `name` is the word in the address, which remembers them, and `field` that of the request. A field holds
// several values, unless it is `single`.
const FILTERS = [
  { mode: "search", name: "kind", field: "kinds", label: "Kind", choices: Object.keys(KINDS) },
  { mode: "search", name: "scope", field: "scopes", label: "Scopes", hint: "here, global", known: ["here", "global"] },
  { mode: "search", name: "path", field: "paths", label: "Paths", hint: "docs, src/*.rs" },
  { mode: "search", name: "type", field: "types", label: "Types", hint: "rust, md" },
  { mode: "lookup", name: "pack", field: "packs", label: "Packs", hint: "git-ssh, docker" },
  { mode: "lookup", name: "provider", field: "provider", label: "Provider", hint: "aws", single: true },
  { mode: "lookup", name: "tag", field: "tags", label: "Tags", hint: "network" },
  { mode: "failures", name: "since", field: "since", label: "Time", choices: ["1d", "7d", "30d", "90d"], single: true },
  { mode: "failures", name: "end", field: "end", label: "End", choices: ["overcome", "open"], single: true },
];

const valueOf = (filter) => filter.input.value.trim();
const filtersSet = (asked) => FILTERS.filter((filter) => filter.mode === asked && valueOf(filter));

function filtersOf(asked) {
  const several = (text) => text.split(",").map((one) => one.trim()).filter(Boolean);
  const values = (filter) => (filter.single ? valueOf(filter) : several(valueOf(filter)));
  return Object.fromEntries(filtersSet(asked).map((filter) => [filter.field, values(filter)]));
}

/** Makes the filters, as the address has them. */
function makeFilters() {
  const address = new URLSearchParams(location.search);
  const asked = address.get("mode");
  if (["lookup", "failures", "tools"].includes(asked)) byId(`mode-${asked}`).checked = true;
  for (const filter of FILTERS) {
    const id = `filter-${filter.name}`;
    const known = filter.known && `${id}-known`;
    const attributes = { id, list: known, placeholder: filter.hint, autocomplete: "off", spellcheck: "false" };
    filter.input = el(filter.choices ? "select" : "input", { ...attributes, onchange: filtersChanged });
    filter.options = filter.choices ? filter.input : el("datalist", { id: known });
    if (filter.choices) filter.input.append(el("option", { value: "" }, "all"));
    filter.row = el("div", {}, el("label", { for: id }, filter.label), filter.input, known && filter.options);
    const value = address.get(filter.name) || "";
    offer(filter, [...(filter.choices || filter.known || []), value]);
    filter.input.value = value;
    byId("filter-fields").append(filter.row);
  }
  byId("filters").open = filtersSet(mode()).length > 0;
}

/** Adds values to choose from that are not there yet. */
function offer(filter, values) {
  const there = [...filter.options.children].map((option) => option.value);
  for (const value of new Set(values)) {
    if (value && !there.includes(value)) filter.options.append(el("option", { value }, WORDS[value] || value));
  }
}

function filtersChanged() {
  const address = new URLSearchParams(mode() === "search" ? {} : { mode: mode() });
  for (const filter of FILTERS.filter(valueOf)) address.set(filter.name, valueOf(filter));
  const query = String(address);
  history.replaceState(null, "", location.pathname + (query && `?${query}`));
  showMode();
  ask();
}

function clearFilters() {
  for (const filter of filtersSet(mode())) filter.input.value = "";
  FILTERS.find((filter) => filter.mode === mode()).input.focus();
  filtersChanged();
}
