"use strict";

/* The comparisons so far: a forest plot for each setting. Rows stay in the page, so that intervals
   move when a block narrows them. More than two screens of rows are folded: settings after the first
   ones, and contenders of a setting after the first ones. On a phone, many rows have a line each. */

const MOST_ROWS = 30, NARROW_ROWS = 24, FULL_ROWS = 8, WIDEST = 2.5, TICK_PX = 38;
const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100];

class Forests {
  constructor(place, further, all, named) {
    this.place = place; this.further = further; this.all = all; this.named = named; this.structure = ""; this.rows = new Map(); this.axes = [];
    all.addEventListener("change", () => this.rows.forEach(({ line, first }) => { if (line) line.hidden = !first && !all.querySelector("input").checked; }));
    new ResizeObserver(() => this.drawAxes()).observe(place);
  }

  update({ forests, margin, spans }) {
    if (!forests.length) return;
    const structure = JSON.stringify(forests.map((it) => [it.setting, it.relative_to, it.rows.map((row) => row.label)]));
    if (structure !== this.structure) { this.structure = structure; this.build(forests); }
    this.scale = scaleOf(forests.flatMap((it) => it.rows), margin);
    const now = new Set(spans.filter(([, end]) => end === null).map(([, , title]) => title));
    for (const forest of forests) {
      const { figure } = this.rows.get(forest.setting);
      figure.classList.toggle("now", now.has(forest.setting));
      for (const row of forest.rows) this.show(this.rows.get(`${forest.setting}/${row.label}`), row, margin);
    }
    this.drawAxes();
  }

  build(forests) {
    const shown = [], more = [], most = matchMedia("(max-width: 46rem)").matches ? NARROW_ROWS : MOST_ROWS;
    let count = 0, largest = 0, others = 0;
    this.rows.clear();
    this.axes = [];
    for (const forest of forests) {
      const first = forest.rows.filter((row) => row.first).slice(0, most);
      (count && count + first.length > most ? more : shown).push(this.figure(forest, new Set(first)));
      if (!more.length) largest = count + first.length;
      count += first.length;
      others += forest.rows.length - first.length;
    }
    this.place.parentElement.classList.toggle("many", largest > FULL_ROWS);
    this.all.hidden = !others;
    this.all.querySelector("span").textContent = `and ${others} more ${others === 1 ? "comparison" : "comparisons"}`;
    this.place.replaceChildren(...shown);
    this.further.hidden = !more.length;
    this.further.querySelector("summary").textContent = `${more.length} more ${more.length === 1 ? "setting" : "settings"}`;
    this.further.querySelector("div").replaceChildren(...more);
  }

  figure(forest, first) {
    const axis = element("div", { class: "axis", "aria-hidden": "true" });
    this.axes.push(axis);
    const heading = (text, ...parts) => element("th", { role: "columnheader", scope: "col" }, element("span", { class: "spoken" }, text), ...parts);
    const head = element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, heading("contender"), heading("interval", axis), heading("ratio"), heading("verdict")));
    const body = element("tbody", { role: "rowgroup" }, ...forest.rows.map((row) => {
      const made = this.row(row, first.has(row));
      this.rows.set(`${forest.setting}/${row.label}`, made);
      made.line.hidden = !made.first && !this.all.querySelector("input").checked;
      return made.line;
    }));
    const caption = element("caption", {}, element("strong", {}, forest.setting), ` relative to ${forest.relative_to}`, element("span", { class: "measuring" }, " measuring"));
    const figure = element("table", { class: "forest", role: "table" }, caption, head, body);
    this.rows.set(forest.setting, { figure });
    return figure;
  }

  row({ who, label }, first) {
    const parts = Object.fromEntries(["margin", "one", "span", "at"].map((name) => [name, element("i", { class: name })]));
    const trail = Array.from({ length: 5 }, (_, age) => element("i", { class: "trail", style: `--age: ${5 - age}` }));
    const track = element("div", { class: "track", "aria-hidden": "true" }, parts.margin, ...trail, parts.one, parts.span, parts.at);
    const estimate = element("td", { role: "cell", class: "estimate" }), found = element("td", { role: "cell", class: "so-far" });
    const line = element("tr", { role: "row" }, element("th", { role: "rowheader", scope: "row" }, this.named(who, label)), element("td", { role: "cell", class: "plot" }, track), estimate, found);
    return { line, parts, trail, estimate, found, first };
  }

  show({ line, parts, trail, estimate, found }, row, margin) {
    const { ends, place } = this.scale, [low, high] = [row.low ?? ends[0], row.high ?? ends[1]];
    const across = (part, from, to) => { part.style.left = `${place(from)}%`; part.style.width = `${place(to) - place(from)}%`; };
    across(parts.margin, 1 / (1 + margin), 1 + margin);
    across(parts.span, low, high);
    parts.one.style.left = `${place(1)}%`;
    parts.at.style.left = `${place(row.ratio)}%`;
    const known = [...Array(trail.length - row.trail.length).fill(row.trail[0] ?? [low, high]), ...row.trail];
    trail.forEach((part, age) => across(part, ...known[age]));
    line.className = `${row.verdict ? `final ${row.style}` : row.question ? "open" : "aside"}${row.low === null ? " unknown" : ""}`;
    parts.span.classList.toggle("beyond-low", low < ends[0]);
    parts.span.classList.toggle("beyond-high", high > ends[1]);
    const shown = row.estimate.split(" [");
    estimate.replaceChildren(element("strong", {}, shown[0]), element("span", { class: "aloud" }, shown[1] ? ` [${shown[1]}` : ""));
    found.replaceChildren(...verdictOf(row));
  }

  drawAxes() {
    if (!this.scale) return;
    const { ends, place } = this.scale;
    for (const axis of this.axes) {
      const width = axis.clientWidth;
      if (!width) continue;
      const taken = [], x = (tick) => (place(tick) * width) / 100;
      const inside = TICKS.filter((tick) => x(tick) >= TICK_PX / 4 && x(tick) <= width - TICK_PX / 4).sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)));
      for (const tick of inside) if (taken.every((other) => Math.abs(x(tick) - x(other)) > TICK_PX)) taken.push(tick);
      axis.replaceChildren(...taken.map((tick) => element("span", { style: `left: ${place(tick)}%` }, `${tick}×`)));
    }
  }
}

function verdictOf({ verdict, sign, question, further, blocks }) {
  const aloud = (...parts) => element("span", { class: "aloud" }, ...parts);
  if (verdict) return [element("span", { class: "sign", "aria-hidden": "true" }, sign), aloud(` ${verdict} `, element("small", {}, "(final)"))];
  const so = `${blocks} ${blocks === 1 ? "block" : "blocks"}`;
  if (!question) return [aloud(so)];
  return [aloud(further === null ? "no further block will decide" : `${so}, about ${further} more`)];
}

function scaleOf(rows, margin) {
  /* A logarithmic axis for all rows; ends are rounded, so that it stays the same for a while. */
  const ratios = rows.map((it) => it.ratio), least = Math.min(...ratios) / WIDEST, most = Math.max(...ratios) * WIDEST;
  const within = (end) => Math.min(Math.max(end, least), most);
  const known = [...ratios, 1 + margin, 1 / (1 + margin), ...rows.flatMap((it) => (it.low === null ? [] : [within(it.low), within(it.high)]))].map(Math.log2);
  const [low, high] = [Math.min(...known) - 0.04, Math.max(...known) + 0.04], step = high - low > 3 ? 0.5 : high - low > 1 ? 0.2 : 0.05;
  const from = Math.floor(low / step) * step, to = Math.ceil(high / step) * step;
  return { ends: [2 ** from, 2 ** to], place: (ratio) => Math.min(100, Math.max(0, (100 * (Math.log2(ratio) - from)) / (to - from))) };
}
