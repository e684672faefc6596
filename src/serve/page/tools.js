// Tools for a task, and their plan: a list, and a graph in which sets of tools that belong together open and close.

const MOST_TOOLS = 8;
const MOST_PARAMETERS = 12;

/** The tools and the plan, asked for together. */
async function askTools(task, signal) {
  const [found, plan] = await Promise.all([
    call("v1/tools/find", { task, top: MOST_TOOLS }, signal),
    call("v1/tools/plan", { task }, signal),
  ]);
  if (!found.answer) return found;
  return plan.answer ? { answer: { ...found.answer, plan: plan.answer } } : plan;
}

function showTools({ tools, closest, known, unapproved, semantic, plan, notes = [] }) {
  const more = [...notes];
  if (unapproved > 0) more.push(`Changed, and not approved yet: ${counted(unapproved, "tool")} (ken tools list).`);
  if (known > 0 && !semantic) more.push("There is no model, so words alone decided.");
  const none = known
    ? [p("", "No tool fits for sure.", closest.length > 0 && " Closest:")]
    : [p("", "No tools are known here. ", code("ken tools add"), " adds some.")];
  const unsure = closest.length ? [list("ul", "hits", closest.map((one) => tool(one, "unsure")))] : [];
  const fitting = [list("ol", "hits", tools.map((one) => tool(one, "")))];
  const drawn = plan.levels.length ? planShown(plan) : [];
  const count = tools.length ? counted(tools.length, "tool") : "No tool";
  show(`${count} of ${whole(known)} known.`, [...drawn, ...(tools.length ? fitting : [...none, ...unsure])], more);
}

function tool(one, kind) {
  const { key, description, parameters, suggested, share, because, calls, ok } = one;
  const went = calls > 0 && `Called ${times(calls)}, ${percent(ok / calls)} of that well.`;
  const fields = parameters.slice(0, MOST_PARAMETERS).map((field) => [
    code(field.name), field.required ? " (needed)" : "", field.description && ` ${field.description}`,
  ]);
  const left = parameters.length - fields.length;
  return card(kind, "h3", key, suggested ? "Suggested" : `${percent(share)} of all`,
    description && p("", description),
    because.length > 0 && p("small", "Because ", because.join("; "), "."),
    went && p("faint small", went),
    fields.length > 0 && el("details", { class: "why" }, el("summary", {}, "What it takes"),
      list("ul", "tried", fields), left > 0 && p("faint", `and ${counted(left, "more field")}.`)));
}

const BECAUSE = {
  field: ({ name }) => `it gives ${name}`,
  reference: ({ name }) => `it finds or makes what ${name} refers to`,
  order: ({ times: often, of }) => `it was first in ${often} of ${counted(of, "session")}`,
  verbs: () => "their names say so",
};

function planShown(plan) {
  const reason = (because) => BECAUSE[because.kind]?.(because) || "";
  const why = ({ from, to, because }) => [code(from), " before ", code(to), `: ${reason(because)}`];
  const lack = ({ tool: of, parameter }) => [code(of), " needs ", code(parameter), ", which no tool gives"];
  const step = (level) => [level.map((key, at) => [at > 0 && ", ", code(key)]), level.length > 1 && " (at once)"];
  return [el("section", { class: "plan", "aria-labelledby": "plan-heading" },
    el("h3", { id: "plan-heading" }, "Plan"),
    graph(plan),
    plan.missing.length > 0 && [p("warn small", "You have to give:"), list("ul", "tried", plan.missing.map(lack))],
    el("details", { class: "why" }, el("summary", {}, "The plan in words"),
      list("ol", "steps", plan.levels.map(step)), list("ul", "tried", plan.edges.map(why))))];
}

// The graph. Levels go down, so that it fits a narrow screen; a set of tools that belong together is a box that holds
// them, or stands for them. Sizes are in pixels; letters are all of one width.

const NODE = { width: 200, height: 40, gap: 26, side: 14, letter: 7.3 };
const GUTTER = 30;
// The namespace of drawings, which the document knows.
const SVG = byId("busy-drawing").namespaceURI;

const draw = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

/** Sets of tools that do not overlap, the best first. */
function sets(plan) {
  const taken = new Set();
  return plan.capabilities.filter(({ tools }) => {
    const isFree = tools.length > 1 && !tools.some((key) => taken.has(key));
    if (isFree) tools.forEach((key) => taken.add(key));
    return isFree;
  });
}

function graph(plan) {
  const holder = el("div", { class: "graph" });
  const all = sets(plan);
  const open = new Set();
  const redraw = () => {
    const focused = holder.contains(document.activeElement) && document.activeElement.dataset.set;
    holder.replaceChildren(drawing(plan, all, open, holder.clientWidth || 280, toggle));
    if (focused) holder.querySelector(`[data-set="${focused}"]`)?.focus();
  };
  const toggle = (at) => {
    if (!open.delete(at)) open.add(at);
    redraw();
  };
  let before = 0;
  new ResizeObserver(() => {
    if (holder.clientWidth !== before) redraw();
    before = holder.clientWidth;
  }).observe(holder);
  return holder;
}

/** Boxes in rows by level, as many beside each other as there is room for. */
function placed(plan, all, open, room) {
  const width = Math.min(NODE.width, room - GUTTER - 2 * NODE.side);
  const levelOf = new Map(plan.levels.flatMap((level, at) => level.map((key) => [key, at])));
  const setOf = new Map(all.flatMap(({ tools }, at) => tools.map((key) => [key, at])));
  const blocks = [];
  for (const [key, level] of levelOf) {
    const set = setOf.get(key);
    if (set == null) {
      blocks.push({ key, level, width, height: NODE.height });
    } else if (!blocks.some((one) => one.set === set)) {
      // In the order in which they run, not in that of the first task.
      const tools = [...all[set].tools].sort((a, b) => levelOf.get(a) - levelOf.get(b));
      const inside = open.has(set) ? tools : [];
      const height = NODE.height + inside.length * (NODE.height + NODE.gap) + (inside.length ? NODE.side : 0);
      blocks.push({ set, tools, inside, level, width: width + 2 * NODE.side, height });
    }
  }
  blocks.sort((a, b) => a.level - b.level);
  const boxes = [];
  let [x, row, level] = [0, { top: NODE.gap / 2, bottom: NODE.gap / 2 }, blocks[0].level];
  for (const block of blocks) {
    if (x > 0 && (block.level !== level || x + block.width > room - GUTTER)) {
      x = 0;
      row = { top: row.bottom + NODE.gap, bottom: 0 };
    }
    level = block.level;
    boxes.push({ ...block, x: x + 1, y: row.top, row });
    block.inside?.forEach((key, at) => {
      const y = row.top + NODE.height + at * (NODE.height + NODE.gap) + NODE.gap / 2;
      boxes.push({ key, x: x + 1 + NODE.side, y, width, height: NODE.height, within: block.set, row });
    });
    x += block.width + NODE.side;
    row.bottom = Math.max(row.bottom, row.top + block.height);
  }
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  return { boxes, right, height: row.bottom + 2 };
}

function drawing(plan, all, open, room, toggle) {
  const { boxes, right, height } = placed(plan, all, open, room);
  const boxOf = (key) => boxes.find((box) => box.key === key) || boxes.find((box) => box.tools?.includes(key));
  const lines = new Map();
  for (const { from, to } of plan.edges) {
    const [a, b] = [boxOf(from), boxOf(to)];
    if (a && b && a !== b) lines.set(`${boxes.indexOf(a)} ${boxes.indexOf(b)}`, [a, b]);
  }
  const lacks = new Set(plan.missing.map((one) => one.tool));
  const arrows = [...lines.values()].map(([a, b], at) => arrow(a, b, boxes, right, at));
  const size = { width: room, height, viewBox: `0 0 ${room} ${height}` };
  return draw("svg", { ...size, role: "group", "aria-label": "The plan as a graph" },
    boxes.filter((box) => box.tools).map((box) => setDrawn(box, toggle)),
    draw("g", { "aria-hidden": "true" }, arrows),
    boxes.filter((box) => box.key != null).map((box) => toolDrawn(box, lacks.has(box.key))));
}

const frame = ({ x, y, width, height }) => draw("rect", { x, y, width, height, rx: 6 });

/** A text that is cut where its box ends; whole for whoever points at it. */
function label(text, { x, y, width }) {
  const most = Math.floor((width - 20) / NODE.letter);
  const letters = [...visible(text)];
  const shown = letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
  return [draw("title", {}, text), draw("text", { x: x + 10, y: y + NODE.height / 2 + 4 }, shown)];
}

const toolDrawn = (box, lacks) => draw("g", { class: lacks ? "tool lacks" : "tool" }, frame(box), label(box.key, box));

/** A set: a button that opens and closes it. */
function setDrawn(box, toggle) {
  const isOpen = box.inside.length > 0;
  const text = `${counted(box.tools.length, "tool")} used together`;
  const run = () => toggle(box.set);
  const onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  return draw("g", { class: isOpen ? "set open" : "set", role: "button", tabindex: "0", "data-set": box.set,
    "aria-expanded": isOpen, "aria-label": visible(`${text}: ${box.tools.join(", ")}`), onclick: run, onkeydown },
  frame(box), label(`${isOpen ? "\u25be" : "\u25b8"} ${text}`, box));
}

/** A line from one box to another with a head; between and beside the rows where others are in its way. */
function arrow(a, b, boxes, right, at) {
  const inside = (box, of) => of.within != null && box.set === of.within;
  const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
  const isInWay = (box) => box !== a && box !== b && !inside(box, a) && !inside(box, b) && box.y < y2
    && box.y + box.height > y1 && box.x < Math.max(x1, x2) && box.x + box.width > Math.min(x1, x2);
  if (y2 > y1 && !boxes.some(isInWay)) {
    const half = (y2 - y1) / 2;
    return head(`M${x1} ${y1}C${x1} ${y1 + half} ${x2} ${y2 - half} ${x2} ${y2 - 6}`, x2, y2, 0, 6);
  }
  const apart = (at % 3) * 6;
  const side = right + 10 + apart;
  // A tool in a set is left and reached by its side, within the set.
  const beside = (box) => box.x + box.width + NODE.side + 7;
  const out = a.within == null ? `M${x1 + 20} ${y1}` : `M${a.x + a.width} ${a.y + a.height / 2}H${beside(a)}`;
  const isNext = b.row.top === a.row.bottom + NODE.gap;
  const way = `${out}V${a.row.bottom + 7 + apart}${isNext ? "" : `H${side}V${b.row.top - 19 + apart}`}`;
  if (b.within == null) return head(`${way}H${x2 + 20}V${y2 - 6}`, x2 + 20, y2, 0, 6);
  const middle = b.y + b.height / 2 + 8;
  return head(`${way}H${beside(b)}V${middle}H${b.x + b.width + 6}`, b.x + b.width, middle, -6, 0);
}

/** A path, and the head of its arrow that comes to a point from that direction. */
function head(path, x, y, dx, dy) {
  const [backX, backY] = [x - dx, y - dy];
  const points = `${x},${y} ${backX + dy * 0.7},${backY + dx * 0.7} ${backX - dy * 0.7},${backY - dx * 0.7}`;
  return [draw("path", { d: path }), draw("polygon", { points })];
}
