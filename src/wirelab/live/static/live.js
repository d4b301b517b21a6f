"use strict";

const byId = (id) => document.getElementById(id);
const STYLES = JSON.parse(byId("styles").dataset.styles);
const SVG = "http://www.w3.org/2000/svg";

function styleOf(who) {
  const [name, twin] = who.split("~");
  const known = STYLES[name] ?? { label: name, hue: "var(--other)" };
  return { hue: known.hue, label: twin ? `${known.label} (twin)` : known.label, twin: Boolean(twin) };
}

function named(who) {
  const { label, hue, twin } = styleOf(who);
  return [element("span", { class: twin ? "swatch-line twin" : "swatch-line", style: `--hue: ${hue}`, "aria-hidden": "true" }), label];
}

function fact(name, value) { return element("li", {}, `${name} `, element("strong", {}, value)); }

const ENDINGS = { complete: "The study is complete", interrupted: "The study was interrupted", failed: "The study has failed" };

const NO_REPORT = { interrupted: "The terminal says what was found so far, and how to continue.", failed: "There is no report. The terminal says why." };

function hasEnded(state) { return Boolean(state.report) || state.status in ENDINGS; }

/* -- progress ------------------------------------------------------------------------------- */

function showProgress(state) {
  const stage = state.stages.at(-1);
  const ended = hasEnded(state);
  setText("stage", ended ? ENDINGS[state.status] ?? "The study has ended" : stage ? stage.title : "Waiting for the study");
  const attempt = stage?.title === "Measuring" && state.attempt > 1 ? ", repeated" : "";
  const doing = state.doing ? ` · ${state.doing}` : "";
  setText("step", ended || !stage ? "\u00a0" : `${stage.step}${attempt}${doing}` || "\u00a0");
  const bar = byId("bar"), share = ended ? 1 : stage?.steps ? stage.done / stage.steps : 0;
  bar.value = share;
  bar.textContent = `${Math.round(100 * share)} %`;
  const facts = [fact("elapsed", clock(state.seconds))];
  if (stage && !ended) {
    facts.unshift(fact("done", `${stage.done} of ${stage.steps}`));
    const left = stage.left === null ? "not known yet" : `${stage.at_least ? "at least" : "about"} ${clock(stage.left)}`;
    facts.push(fact("left", left));
  }
  if (state.decided) facts.push(element("li", {}, state.decided));
  if (state.invalid) facts.push(fact("runs that do not count", String(state.invalid)));
  byId("facts").replaceChildren(...facts);
  byId("stages").replaceChildren(...state.stages.map((it) => element("li", { class: it.ended ? "done" : "here" }, `${it.title} · ${clock(it.seconds)}`)));
  document.title = ended ? document.title : `${Math.round(100 * share)} % – ${document.title.replace(/^\d+ % – /, "")}`;
  if (ended) showEnding(state);
}

function showEnding(state) {
  const place = byId("ending");
  if (!place.hidden && !place.classList.contains("lost")) return;
  place.className = state.status === "complete" ? "ending" : "ending failed";
  place.hidden = false;
  place.replaceChildren(...(state.report ? ["The report is ready: ", element("a", { href: "/report" }, "read the findings"), ". This page remains until Ctrl-C in the terminal."] : [NO_REPORT[state.status] ?? NO_REPORT.failed]));
}

function setText(id, text) { if (byId(id).textContent !== text) byId(id).textContent = text; }

/* -- contenders ----------------------------------------------------------------------------- */

function showContenders(contenders) {
  if (!contenders.length) return;
  const time = (value) => element("td", {}, value === null ? "–" : duration(value));
  byId("now").replaceChildren(...contenders.map((it) => element("tr", {},
    element("td", {}, ...named(it.who)),
    element("td", {}, it.rate === null ? "–" : count(it.rate)),
    time(it.p50_us), time(it.p90_us), time(it.p99_us),
    element("td", {}, it.transactions.toLocaleString("en")),
    element("td", { class: it.failed ? "bad" : "" }, it.failed.toLocaleString("en")),
    element("td", { class: "text" }, Object.entries(it.errors).map(([kind, many]) => `${kind} ${many}`).join(", ") || "none"))));
  byId("legend").replaceChildren(...contenders.map((it) => element("li", {}, ...named(it.who))));
}

/* -- verdicts ------------------------------------------------------------------------------- */

function showVerdicts(questions) {
  byId("verdicts-section").hidden = !questions.length;
  byId("verdicts").replaceChildren(...questions.map((it) => element("tr", {},
    element("td", {}, it.setting),
    element("td", { class: "text" }, `${it.a} against ${it.b}`),
    element("td", {}, it.ratio === null ? "–" : `${it.ratio.toFixed(3)} ×`),
    element("td", {}, it.low === null ? "–" : `${it.low.toFixed(3)} – ${it.high.toFixed(3)}`),
    element("td", {}, String(it.blocks)),
    element("td", { class: "text" }, ...verdictOf(it)))));
}

function verdictOf({ verdict, further }) {
  if (verdict) return [element("strong", {}, verdict), " (final)"];
  return [further === null ? "no further block will decide" : `about ${further} more ${further === 1 ? "block" : "blocks"}`];
}

/* -- blocks --------------------------------------------------------------------------------- */

let shownSettings = "";

function showSettings(settings) {
  const text = JSON.stringify(settings);
  if (!settings.length || text === shownSettings) return;
  shownSettings = text;
  byId("settings").replaceChildren(...settings.map((it) =>
    element("div", { class: "setting" }, element("h3", {}, it.title),
      element("div", { class: "courses" }, ...it.courses.filter((each) => each.steps.length).map(course)))));
}

function scaleOf(steps) {
  /* Of the latest interval and those before it that are up to three times as wide: the first ones
     may be far wider. The baseline is in sight where it is near. */
  const [, ratio, low, high] = steps.at(-1), half = Math.max(0.01, Math.log((high ?? ratio) / (low ?? ratio)) / 2);
  const centre = Math.log(ratio), reach = 3 * half;
  const from = Math.min(centre - reach, Math.abs(centre) < 2 * reach ? -half : Infinity);
  const to = Math.max(centre + reach, Math.abs(centre) < 2 * reach ? half : -Infinity);
  const most = Math.max(2, steps.length);
  return {
    x: (block) => 100 * (block - 1) / (most - 1),
    y: (value) => 50 * (1 - (Math.log(value) - from) / (to - from)),
    ends: [Math.exp(from), Math.exp(to)],
  };
}

function course({ who, steps }) {
  const [blocks, ratio, low, high] = steps.at(-1), { hue, label } = styleOf(who), { x, y, ends } = scaleOf(steps);
  const interval = low === null ? "no interval yet" : `95 % interval ${low.toFixed(3)} – ${high.toFixed(3)}`;
  const figure = element("div", { class: "course", style: `--hue: ${hue}` },
    element("h4", {}, element("span", {}, ...named(who)), element("strong", {}, `${ratio.toFixed(3)} ×`)),
    element("p", {}, `${interval}, ${blocks} ${blocks === 1 ? "block" : "blocks"}`));
  const svg = svgElement("svg", { viewBox: "0 0 100 50", preserveAspectRatio: "none", role: "img", "aria-label": `${label}: ${interval} after ${blocks} blocks` });
  svg.append(svgElement("line", { class: "one", x1: 0, x2: 100, y1: y(1), y2: y(1) }));
  const known = steps.filter(([, , from]) => from !== null);
  if (known.length) {
    const there = known.map(([block, , , to]) => `${x(block)},${y(to)}`), back = known.map(([block, , from]) => `${x(block)},${y(from)}`).reverse();
    svg.append(svgElement("polygon", { class: "band", points: [...there, ...back].join(" ") }));
  }
  svg.append(svgElement("polyline", { class: "path", points: steps.map(([block, value]) => `${x(block)},${y(value)}`).join(" ") }));
  figure.append(element("div", { class: "picture" }, svg, ...ends.map((end) => element("span", { "aria-hidden": "true" }, end.toFixed(2)))));
  return figure;
}

function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/* -- what the server tells ------------------------------------------------------------------ */

const series = new Series();
const charts = new Charts(byId("charts"), series, styleOf);
const events = new EventSource("/events");
let isOver = false;

function onData(event) { series.take(JSON.parse(event.data)); charts.update(); }

events.addEventListener("state", (event) => {
  const state = JSON.parse(event.data);
  if (state.known && !Object.keys(STYLES).length) { events.close(); location.reload(); return; }
  isOver = hasEnded(state);
  if (byId("ending").classList.contains("lost")) byId("ending").hidden = true;
  showProgress(state);
  showContenders(state.contenders);
  showVerdicts(state.questions);
  showSettings(state.settings);
  byId("notes-section").hidden = !state.notes.length;
  byId("notes").replaceChildren(...state.notes.map((text) => element("li", {}, text)));
  setText("cost", `This page’s server has used ${(100 * state.page_cpu_share).toFixed(1)} % of one CPU, at idle priority.`);
});
events.addEventListener("points", onData);
events.addEventListener("error", () => {
  if (isOver) return;
  const place = byId("ending");
  place.className = "ending lost";
  place.hidden = false;
  place.textContent = "The study is not responding. This page keeps trying; the figures below are the latest.";
});
