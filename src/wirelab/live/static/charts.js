"use strict";

/* Charts over time: one for each quantity, a line for each contender. They know nothing of the
   study but the names of its series: "rate/WHO", "cpu/WHO/ROLE". */

const QUANTITIES = {
  rate: { title: "Transactions per second", log: true, show: (value) => count(value) },
  p50: { title: "Median response time", log: true, show: (value) => duration(value) },
  p99: { title: "99th percentile of response times", log: true, show: (value) => duration(value) },
  failed: { title: "Failed transactions per second", log: false, show: (value) => count(value), onlyIfAny: true },
  cpu: { title: "CPUs in use", log: false, show: (value) => value.toFixed(2) },
  memory: { title: "Memory", log: false, show: (value) => bytes(value) },
};
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
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.drawn.forEach((it) => it.plot.redraw(false, true)));
    new ResizeObserver(() => this.fit()).observe(place);
  }

  update() {
    const order = Object.keys(QUANTITIES), groups = [...this.series.groups()];
    groups.sort(([a], [b]) => order.indexOf(a.split("/")[0]) - order.indexOf(b.split("/")[0]));
    for (const [key, members] of groups) {
      const names = members.map(([, name]) => name).join();
      let chart = this.drawn.get(key);
      if (chart?.names !== names) {
        chart?.figure.remove();
        chart = this.draw(key, members);
        this.drawn.set(key, { ...chart, names });
        for (const [other] of groups) if (this.drawn.has(other)) this.place.append(this.drawn.get(other).figure);
        this.fit();
      }
      const times = this.series.times(), { log } = QUANTITIES[key.split("/")[0]];
      const shown = (value) => (value === undefined || (log && value === 0) ? null : value);
      const lines = members.map(([, name]) => times.map((_, bin) => shown(this.series.values.get(name)?.[bin])));
      this.drawn.get(key).plot.setData([times, ...lines]);
    }
  }

  draw(key, members) {
    const [quantity, role] = key.split("/"), { title, log, show } = QUANTITIES[quantity];
    const name = role ? `${title}: ${ROLES[role] ?? role}` : title;
    const figure = element("figure", { class: "live-chart" }, element("h3", {}, name));
    const readout = element("div", { class: "readout", "aria-hidden": "true" });
    const holder = element("div", { role: "img", "aria-label": `${name}, over time` });
    figure.append(readout, holder);
    const axis = { stroke: () => css("var(--ink-soft)"), grid: { stroke: () => css("var(--line)"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const plot = new uPlot({
      width: 300, height: 190, legend: { show: false }, cursor: { y: false, drag: { setScale: false } },
      scales: {
        x: { time: false, range: (_, low, high) => [low ?? 0, Math.max(high ?? 10, 10)] },
        y: log
          ? { distr: 3, range: (_, low, high) => (low > 0 ? uPlot.rangeLog(low, high, 10, false) : [1, 10]) }
          : { range: (_, low, high) => [0, (high || 1) * 1.1] },
      },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map(clock), size: 28 },
        { ...axis, ...(log ? { filter: round, grid: { ...axis.grid, filter: round } } : {}), values: (_, ticks) => ticks.map((it) => (it === null ? "" : show(it))), size: 62 },
      ],
      series: [{}, ...members.map(([who]) => ({
        label: who, spanGaps: true, width: 2, dash: this.styleOf(who).twin ? [5, 4] : undefined,
        stroke: () => css(this.styleOf(who).hue), points: { show: (it, index) => it.data[index].filter((value) => value !== null).length < 3 },
      }))],
      hooks: { setCursor: [(it) => this.tell(it, readout, members, show)] },
    }, [[], ...members.map(() => [])], holder);
    return { figure, plot, holder };
  }

  tell(plot, readout, members, show) {
    const bin = plot.cursor.idx;
    if (bin === null || bin === undefined) { readout.replaceChildren(); return; }
    const values = members.map(([who], index) => [this.styleOf(who).label, plot.data[index + 1][bin]]).filter(([, value]) => value !== null && value !== undefined);
    values.sort(([, a], [, b]) => b - a);
    readout.replaceChildren(element("span", {}, clock(plot.data[0][bin])), ...values.map(([label, value]) => element("span", {}, `${label} ${show(value)}`)));
  }

  fit() {
    for (const { holder, plot } of this.drawn.values()) {
      const width = Math.floor(holder.clientWidth);
      if (width && width !== plot.width) plot.setSize({ width, height: 190 });
    }
  }
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
