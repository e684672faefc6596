// Tools for a task, and their plan as a graph. Steps go from top to bottom, and arrows from what gives something to what
// needs it. Tools that earlier tasks used together are one box, which opens and shows them.

const MOST_TOOLS = 10;

/** Asks for the tools of a task and for their plan at once. */
async function askTools(task, signal) {
  const [found, planned] = await Promise.all([
    call("v1/tools/find", { task, top: MOST_TOOLS }, signal),
    call("v1/tools/plan", { task }, signal),
  ]);
  if (!found.answer) return found;
  if (!planned.answer) return planned;
  return { answer: { ...found.answer, plan: planned.answer } };
}

function showTools({ tools = [], closest = [], known, unapproved, semantic, plan, notes = [] }) {
  const more = [...notes];
  if (unapproved > 0) more.push(`${counted(unapproved, "tool")} changed and must be approved first (ken tools list).`);
  if (known > 0 && !semantic) more.push("There is no model, so words and what was used together alone decided.");
  const none = p("", "No tools are known here. ", code("ken tools add"), " adds some.");
  if (!known) return show("No tools.", [none], more);
  const found = tools.length
    ? [planned(plan), list("ol", "hits", tools.map((tool) => toolCard(tool, "")))]
    : [p("", closest.length ? "No tool fits for sure. Closest:" : "No tool fits."),
      list("ol", "hits", closest.map((tool) => toolCard(tool, "unsure")))];
  show(`${counted(tools.length, "tool")} of ${whole(known)} for this task.`, found.flat(), more);
}

function toolCard({ key, description, parameters = [], because = [], calls, ok, suggested }, kind) {
  const takes = parameters.map(({ name, required }) => (required ? name : `${name} (optional)`));
  const record = calls > 0 && `${counted(calls, "call")}, ${percent(ok / calls)} went well`;
  return card(kind, "h3", key, suggested ? "suggested" : "",
    description && p("", description),
    because.length > 0 && p("small", "Because: ", because.join("; ")),
    takes.length > 0 && p("faint small", "Takes: ", takes.join(", ")),
    record && p("faint small", record));
}

/** The plan: a picture, and the same in words. */
function planned(plan) {
  const steps = plan.levels.flat().length;
  if (steps < 2) return [];
  const picture = el("div", { class: "plan", role: "group", "aria-label": "The plan as a graph" });
  const open = new Set();
  let width = 0;
  // Once it has its place, and whenever there is more room or less.
  new ResizeObserver(() => {
    if (picture.clientWidth === width) return;
    width = picture.clientWidth;
    draw(picture, plan, open);
  }).observe(picture);
  const why = ({ from, to, because }) => `${from} before ${to}: ${orderReason(because)}`;
  const words = el("details", { class: "why" }, el("summary", {}, "The plan in words"),
    list("ol", "steps", plan.levels.map((level) => level.join(", ") + (level.length > 1 ? " (at once)" : ""))),
    plan.edges.length > 0 && list("ul", "tried", plan.edges.map(why)));
  const missing = plan.missing.map(({ tool, parameter }) => `${tool} needs ${parameter}, which no tool gives.`);
  return [el("section", { "aria-label": "Plan" }, el("h3", {}, "Plan"), picture, words,
    missing.length > 0 && list("ul", "tried small", missing))];
}

function orderReason({ kind, name, times, of }) {
  if (kind === "field") return `it gives ${name}`;
  if (kind === "reference") return `it finds or makes what ${name} refers to`;
  if (kind === "order") return `it was first in ${times} of ${of} sessions`;
  return "their names say so";
}

// Measures of the picture, in its own units.
const BOX = { width: 200, height: 34, gap: 18, between: 44, inside: 8, edge: 14, letters: 24 };

/** An element of a picture; children are elements or text. */
function svg(tag, attributes, ...children) {
  const node = document.createElementNS(byId("drawn").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}

/** What stands in the picture on its own: a tool, or a set of tools that is open or closed. Each tool stands once. */
function unitsOf(plan) {
  const level = new Map(plan.levels.flatMap((keys, at) => keys.map((key) => [key, at])));
  const taken = new Set();
  const units = [];
  for (const { tools, uses } of plan.capabilities || []) {
    if (tools.length < 2 || tools.some((key) => taken.has(key) || !level.has(key))) continue;
    tools.forEach((key) => taken.add(key));
    const inOrder = [...tools].sort((a, b) => level.get(a) - level.get(b));
    units.push({ key: inOrder.join(" "), tools: inOrder, uses, level: level.get(inOrder[0]) });
  }
  for (const [key, at] of level) if (!taken.has(key)) units.push({ key, tools: [key], level: at });
  return units;
}

/** Gives every unit its place, level by level, in lines of at most this width; says how high the picture is. */
function arrange(units, open, most) {
  const levels = Map.groupBy(units, (unit) => unit.level);
  let y = 2;
  for (const at of [...levels.keys()].sort((a, b) => a - b)) {
    let [x, height] = [BOX.edge, 0];
    for (const unit of levels.get(at)) {
      const isOpen = unit.tools.length > 1 && open.has(unit.key);
      unit.height = isOpen ? BOX.height + unit.tools.length * (BOX.height + BOX.inside) : BOX.height;
      unit.width = BOX.width + (isOpen ? 2 * BOX.inside : 0);
      if (x > BOX.edge && x + unit.width > most - BOX.edge) {
        [x, y, height] = [BOX.edge, y + height + BOX.gap, 0];
      }
      [unit.x, unit.y] = [x, y];
      x += unit.width + BOX.gap;
      height = Math.max(height, unit.height);
    }
    y += height + BOX.between;
  }
  return y - BOX.between + 2;
}

function draw(picture, plan, open) {
  const units = unitsOf(plan);
  const width = picture.clientWidth;
  const height = arrange(units, open, width);
  const boxes = new Map();
  const frames = units.filter((unit) => open.has(unit.key)).map(({ x, y, width: wide, height: high }) =>
    svg("rect", { x, y, width: wide, height: high, rx: 8, class: "set" }));
  const nodes = units.map((unit) => drawn(unit, open, boxes, () => {
    if (!open.delete(unit.key)) open.add(unit.key);
    draw(picture, plan, open);
    [...picture.querySelectorAll("[role=button]")].find((one) => one.dataset.key === unit.key)?.focus();
  }));
  const arrows = new Map();
  for (const { from, to } of plan.edges) {
    const [a, b] = [boxes.get(from), boxes.get(to)];
    if (a && b && a !== b) arrows.set(`${a.x} ${a.y} ${b.x} ${b.y}`, arrow(a, b));
  }
  picture.replaceChildren(svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` },
    ...frames, ...arrows.values(), ...nodes));
}

/** From the lower edge of one box to the upper edge of another; beside them where that is no way down. */
function arrow(a, b) {
  // From outside an arrow ends at the set that holds the tool.
  const end = b.set && b.set !== a.set ? b.set : b;
  const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + a.height, end.x + end.width / 2, end.y];
  const [right, middle] = [Math.max(a.x + a.width, b.x + b.width), (y1 + y2) / 2];
  const side = b.y + b.height / 2;
  const [line, tip] = y2 > y1
    ? [`M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2 - 6}`, `M${x2 - 4} ${y2 - 8}h8l-4 8z`]
    : [`M${a.x + a.width} ${a.y + a.height / 2}H${right + 8}V${side}H${b.x + b.width + 6}`,
      `M${b.x + b.width + 8} ${side - 4}v8l-8 -4z`];
  return svg("g", {}, svg("path", { d: line, class: "arrow" }), svg("path", { d: tip, class: "tip" }));
}

/** A unit, with a box for each of its tools that an arrow can lead to. */
function drawn(unit, open, boxes, toggle) {
  if (unit.tools.length === 1) {
    boxes.set(unit.key, unit);
    return labelled(unit, unit.key, "tool");
  }
  const isOpen = open.has(unit.key);
  const name = `${counted(unit.tools.length, "tool")} used together`;
  const head = svg("g", { role: "button", tabindex: "0", "aria-expanded": isOpen, class: "toggle",
    "aria-label": `${name} in ${counted(unit.uses, "task")}: ${unit.tools.join(", ")}` },
  labelled({ ...unit, height: BOX.height }, `${isOpen ? "\u25be" : "\u25b8"} ${name}`, "set"));
  head.dataset.key = unit.key;
  head.addEventListener("click", toggle);
  head.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    toggle();
  });
  if (!isOpen) {
    unit.tools.forEach((key) => boxes.set(key, unit));
    return head;
  }
  const inner = unit.tools.map((key, at) => {
    const y = unit.y + BOX.height + at * (BOX.height + BOX.inside);
    const box = { x: unit.x + BOX.inside, y, width: BOX.width, height: BOX.height, set: unit };
    boxes.set(key, box);
    return labelled(box, key, "tool");
  });
  return svg("g", {}, head, ...inner);
}

function labelled({ x, y, width, height }, text, kind) {
  const short = text.length > BOX.letters ? `${text.slice(0, BOX.letters - 1)}\u2026` : text;
  return svg("g", {}, svg("title", {}, text), svg("rect", { x, y, width, height, rx: 8, class: kind }),
    svg("text", { x: x + width / 2, y: y + height / 2 + 5 }, short));
}
