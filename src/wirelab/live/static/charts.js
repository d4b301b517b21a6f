"use strict";

/* Charts over time: one for each quantity, a line for each contender, a band for each block. They
   know nothing of the study but the names of its series ("rate/WHO", "cpu/WHO/ROLE") and when a
   block measured what. A line ends with its block: between two blocks nothing was measured. */

const QUANTITIES = {
  p50: { title: "Median response time", view: "times and rates", log: true, show: (value) => duration(value) },
  p99: { title: "99th percentile of response times", view: "times and rates", log: true, show: (value) => duration(value) },
  rate: { title: "Transactions per second", view: "times and rates", log: true, show: (value) => count(value) },
  failed: { title: "Failed transactions per second", view: "times and rates", log: false, show: (value) => count(value), onlyIfAny: true },
  cpu: { title: "CPUs in use", view: "CPU", log: false, show: (value) => value.toFixed(2) },
  memory: { title: "Memory", view: "memory", log: false, show: (value) => bytes(value) },
};
const LEAST_BAND_PX = 3, BAND_FONT_PX = 10.5, HEIGHT_PX = 190, NARROW_HEIGHT_PX = 150, NARROW_PX = 400;
const ROLES = { engine: "load engine" };

function short(value) { return Number(value.toPrecision(3)).toLocaleString("en"); }
function count(value) { return short(value); }
function duration(us) { return us >= 1e6 ? `${short(us / 1e6)} s` : us >= 1e3 ? `${short(us / 1e3)} ms` : `${short(us)} µs`; }
function bytes(value) { return value >= 1e9 ? `${short(value / 1e9)} GB` : value >= 1e6 ? `${short(value / 1e6)} MB` : `${short(value / 1e3)} kB`; }
function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds)), hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60, rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

function round(plot, ticks) {
  /* Of a logarithmic axis, the powers of ten; where it has few of them, their doubles and halves. */
  const { min, max } = plot.scales.y, mantissas = max / min > 100 ? [1] : [1, 2, 5];
  return ticks.map((it) => (mantissas.includes(Math.round(it / 10 ** Math.floor(Math.log10(it) + 1e-9))) ? it : null));
}

class Series {
  /* What the server has sent of all series so far; bins are `width` seconds long. */
  constructor() { this.width = 1; this.values = new Map(); this.length = 0; }

  take(sent) {
    if (sent.first === 0) this.values.clear();
    this.width = sent.width;
    for (const [name, values] of Object.entries(sent.series)) {
      const known = this.values.get(name) ?? [];
      while (known.length < sent.first) known.push(null);
      known.splice(sent.first, known.length, ...values);
      this.values.set(name, known);
      this.length = Math.max(sent.first ? this.length : 0, known.length);
    }
  }

  times() { return Array.from({ length: this.length }, (_, bin) => bin * this.width); }

  groups() {
    /* The charts there are: quantity and role, each with its contenders. */
    const found = new Map();
    for (const [name, values] of this.values) {
      const [quantity, who, role] = name.split("/");
      if (!QUANTITIES[quantity] || (QUANTITIES[quantity].onlyIfAny && !values.some((it) => it > 0))) continue;
      const key = role ? `${quantity}/${role}` : quantity;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push([who, name]);
    }
    return found;
  }
}

class Charts {
  constructor(place, series, styleOf) {
    this.place = place; this.series = series; this.styleOf = styleOf; this.drawn = new Map();
    this.spans = []; this.now = 0; this.hidden = new Set(); this.view = "";
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawn.forEach((it) => it.plot.redraw(false, true)));
    new ResizeObserver(() => this.fit()).observe(place);
  }

  update() {
    const order = Object.keys(QUANTITIES), groups = [...this.series.groups()];
    groups.sort(([a], [b]) => order.indexOf(a.split("/")[0]) - order.indexOf(b.split("/")[0]));
    const times = this.series.times(), blocks = times.map((time) => this.blockAt(time));
    for (const [key, members] of groups) {
      const names = members.map(([, name]) => name).join();
      let chart = this.drawn.get(key);
      if (chart?.names !== names) {
        chart?.figure.remove();
        chart = { ...this.draw(key, members), names };
        this.drawn.set(key, chart);
        for (const [other] of groups) if (this.drawn.has(other)) this.place.append(this.drawn.get(other).figure);
        this.choose();
        this.fit();
      }
      const { log } = QUANTITIES[key.split("/")[0]];
      const shown = (value) => (value === undefined || (log && value === 0) ? null : value);
      const lines = members.map(([, name]) => times.map((_, bin) => shown(this.series.values.get(name)?.[bin])));
      chart.pieces = [[], ...lines.map((line) => piecesOf(line, blocks))];
      chart.plot.setData([times, ...lines]);
    }
  }

  blockAt(time) {
    /* The block under way at a time, or the last one before: servers start longer than a bin lasts. */
    let [low, high] = [0, this.spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spans[middle][0] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  choose(view = this.view, hidden = this.hidden) {
    /* Show the charts of one view, and the lines of contenders that are not hidden. */
    this.view = view; this.hidden = hidden;
    for (const [key, { figure, plot, members }] of this.drawn) {
      figure.hidden = QUANTITIES[key.split("/")[0]].view !== view;
      members.forEach(([who], line) => {
        if (plot.series[line + 1].show === hidden.has(who)) plot.setSeries(line + 1, { show: !hidden.has(who) });
      });
    }
  }

  draw(key, members) {
    const [quantity, role] = key.split("/"), { title, log, show } = QUANTITIES[quantity];
    const name = role ? `${title}: ${ROLES[role] ?? role}` : title;
    const figure = element("figure", { class: "live-chart" }, element("h3", {}, name));
    const readout = element("div", { class: "readout", "aria-hidden": "true" });
    const holder = element("div", { role: "img", "aria-label": `${name}, over time` });
    figure.append(holder, readout);
    const axis = { stroke: () => css("var(--ink-soft)"), grid: { stroke: () => css("var(--line)"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const pieces = (line) => this.drawn.get(key)?.pieces?.[line] ?? [];
    const plot = new uPlot({
      width: 300, height: HEIGHT_PX, padding: [16, null, null, null], legend: { show: false }, cursor: { y: false, drag: { setScale: false } },
      scales: {
        x: { time: false, range: (_, low, high) => [low ?? 0, Math.max(high ?? 10, 10)] },
        y: log
          ? { distr: 3, range: (_, low, high) => (low > 0 ? uPlot.rangeLog(low, high, 10, false) : [1, 10]) }
          : { range: (_, low, high) => [0, (high || 1) * 1.1] },
      },
      axes: [
        { ...axis, grid: { show: false }, values: (_, ticks) => ticks.map(clock), size: 28 },
        { ...axis, ...(log ? { filter: round, grid: { ...axis.grid, filter: round } } : {}), values: (_, ticks) => ticks.map((it) => (it === null ? "" : show(it))), size: 62 },
      ],
      series: [{}, ...members.map(([who]) => ({
        label: who, width: 2, dash: this.styleOf(who).twin ? [5, 4] : undefined, stroke: () => css(this.styleOf(who).hue),
        gaps: (it, line) => pieces(line).slice(1).map(([from], piece) => [pieces(line)[piece][1], from].map((bin) => it.valToPos(it.data[0][bin], "x", true))),
        points: { show: false, size: 5, filter: (_, line) => pieces(line).filter(([from, to]) => from === to).map(([from]) => from) },
      }))],
      hooks: { drawClear: [(it) => this.band(it)], setCursor: [(it) => this.tell(it, readout, members, show)] },
    }, [[], ...members.map(() => [])], holder);
    return { figure, plot, holder, members };
  }

  titles() { return [...new Set(this.spans.map(([, , title]) => title))]; }

  band(plot) {
    /* Shade every second block, and write above what it measured, or at least the number of that. */
    const { ctx, bbox } = plot, ratio = uPlot.pxRatio, titles = this.titles();
    const at = (time) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(time, "x", true)));
    ctx.save();
    ctx.font = `${BAND_FONT_PX * ratio}px system-ui, sans-serif`;
    ctx.textAlign = "center"; ctx.textBaseline = "bottom";
    this.spans.forEach(([from, to, title], block) => {
      const left = at(from), width = at(to ?? this.now) - left;
      ctx.fillStyle = css("var(--zone)");
      if (block % 2 === 0 && width > LEAST_BAND_PX * ratio) ctx.fillRect(left, bbox.top, width, bbox.height);
      const text = [`${titles.indexOf(title) + 1} ${title}`, `${titles.indexOf(title) + 1}`].find((it) => ctx.measureText(it).width < width);
      ctx.fillStyle = css("var(--ink-soft)");
      if (titles.length > 1 && text) ctx.fillText(text, left + width / 2, bbox.top - 2 * ratio);
    });
    ctx.restore();
  }

  tell(plot, readout, members, show) {
    /* The time at the pointer, what was measured, and the last value in this block of every line. */
    const bin = plot.cursor.idx;
    if (bin === null || bin === undefined) { readout.replaceChildren(); return; }
    const time = plot.data[0][bin], block = this.blockAt(time), values = [];
    members.forEach(([who], line) => {
      let last = bin;
      while (last > 0 && plot.data[line + 1][last] === null) last -= 1;
      const value = plot.data[line + 1][last];
      const isSame = this.blockAt(plot.data[0][last]) === block;
      if (isSame && value !== null && value !== undefined && !this.hidden.has(who)) values.push([this.styleOf(who).label, value]);
    });
    values.sort(([, a], [, b]) => b - a);
    const where = this.spans[block]?.[2] ?? "";
    readout.replaceChildren(element("span", {}, `${clock(time)} ${where}`), ...values.map(([label, value]) => element("span", {}, `${label} ${show(value)}`)));
  }

  fit() {
    for (const { holder, plot } of this.drawn.values()) {
      const width = Math.floor(holder.clientWidth);
      if (width && width !== plot.width) plot.setSize({ width, height: width < NARROW_PX ? NARROW_HEIGHT_PX : HEIGHT_PX });
    }
  }
}

function piecesOf(line, blocks) {
  /* The pieces of a line, each the first and the last bin with a value in one block. */
  const pieces = [];
  line.forEach((value, bin) => {
    if (value === null) return;
    const last = pieces.at(-1);
    if (last && blocks[last[1]] === blocks[bin]) last[1] = bin;
    else pieces.push([bin, bin]);
  });
  return pieces;
}

function css(colour) {
  const variable = /^var\((--[\w-]+)\)$/.exec(colour);
  return variable ? getComputedStyle(document.documentElement).getPropertyValue(variable[1]).trim() : colour;
}

function element(name, attributes, ...children) {
  /* Text goes in as text: nothing that a study says becomes markup. */
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
