"use strict";

const byId = (id) => document.getElementById(id);
const STYLES = JSON.parse(byId("styles").dataset.styles);

function styleOf(who) {
  const [name, twin] = who.split("~");
  const known = STYLES[name] ?? { label: name, hue: "var(--other)" };
  return { hue: known.hue, label: twin ? `${known.label} (twin)` : known.label, twin: Boolean(twin) };
}

function named(who, text = styleOf(who).label) {
  const { hue, twin } = styleOf(who);
  return element("span", { class: "named" }, element("span", { class: twin ? "swatch-line twin" : "swatch-line", style: `--hue: ${hue}`, "aria-hidden": "true" }), text);
}

function fact(name, value) { return element("li", {}, `${name} `, element("strong", {}, value)); }

const ENDINGS = { complete: "The study is complete", interrupted: "The study was interrupted", failed: "The study has failed" };

const NO_REPORT = { interrupted: "What was measured is kept.", failed: "There is no report. The terminal says why." };

function hasEnded(state) { return Boolean(state.report) || state.status in ENDINGS; }

/* -- progress ------------------------------------------------------------------------------- */

function showProgress(state) {
  const stage = state.stages.at(-1);
  const ended = hasEnded(state);
  setText("stage", ended ? ENDINGS[state.status] ?? "The study has ended" : stage ? stage.title : "Waiting for the study");
  const attempt = stage?.title === "Measuring" && state.attempt > 1 ? ", repeated" : "";
  const doing = state.doing ? ` · ${state.doing}` : "";
  setText("step", ended || !stage ? "\u00a0" : `${stage.step}${attempt}${doing}` || "\u00a0");
  const bar = byId("bar"), share = ended && state.status === "complete" ? 1 : stage?.steps ? stage.done / stage.steps : 0;
  bar.value = share;
  bar.textContent = `${Math.round(100 * share)} %`;
  const facts = [fact("elapsed", clock(state.seconds))];
  if (stage && !ended) {
    if (!state.decided) facts.unshift(fact("done", `${stage.done} of ${stage.steps}`));
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
  if (state.report) place.replaceChildren(paragraph("The report is ready: ", element("a", { href: "/report" }, "read the findings"), ". This page remains until Ctrl-C in the terminal."));
  else place.replaceChildren(...[paragraph(NO_REPORT[state.status] ?? NO_REPORT.failed), ...(state.resume ? resumption(state.resume) : [])]);
}

function resumption(command) {
  const button = element("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command);
    button.textContent = "Copied";
  });
  return [paragraph("To continue:"), element("div", { class: "command" }, element("pre", { tabindex: "0" }, command), button)];
}

function paragraph(...parts) { return element("p", {}, ...parts); }

function setText(id, text) { if (byId(id).textContent !== text) byId(id).textContent = text; }

/* -- contenders ----------------------------------------------------------------------------- */

function showContenders(contenders) {
  if (!contenders.length) return;
  const time = (value, none = "–") => element("td", {}, value === null ? none : duration(value));
  byId("now").replaceChildren(...contenders.map((it) => element("tr", { class: it.before ? "before" : "" },
    element("td", {}, named(it.who)),
    element("td", {}, it.rate === null ? "–" : count(it.rate)),
    time(it.p50_us), time(it.p90_us), time(it.p99_us, it.p50_us === null ? "–" : "too few requests"),
    element("td", { class: "text" }, it.setting),
    element("td", {}, it.transactions.toLocaleString("en")),
    element("td", { class: it.failed ? "bad" : "" }, it.failed.toLocaleString("en")),
    element("td", { class: "text" }, Object.entries(it.errors).map(([kind, many]) => `${kind} ${many}`).join(", ") || "none"))));
  const listed = [...byId("legend").querySelectorAll("button")].map((it) => it.dataset.who);
  if (listed.join() !== contenders.map((it) => it.who).join()) byId("legend").replaceChildren(...contenders.map((it) => element("li", {}, toggle(it.who))));
}

function toggle(who) {
  const button = element("button", { type: "button", "data-who": who, "aria-pressed": String(!charts.hidden.has(who)) }, named(who));
  button.addEventListener("click", () => {
    const isShown = charts.hidden.delete(who);
    if (!isShown) charts.hidden.add(who);
    button.ariaPressed = String(isShown);
    charts.choose();
  });
  return button;
}

/* -- comparisons ---------------------------------------------------------------------------- */

const RULES = {
  decided: "Thick: the 95 % interval so far; faint: after the blocks before; shaded: the margin. A verdict is final: it is valid after any number of blocks, whenever the study ends.",
  fixed: "Thick: the 95 % interval so far; faint: after the blocks before; shaded: the margin. This study has a fixed number of blocks, so verdicts come at its end: stopping when an interval looks right would find differences that do not exist.",
};

function showComparisons(state) {
  byId("found").hidden = !state.found;
  setText("found", state.found);
  if (state.forests.length) setText("forest-note", state.decided ? RULES.decided : RULES.fixed);
  forests.update(state);
}

/* -- what the server tells ------------------------------------------------------------------ */

const series = new Series();
const charts = new Charts(byId("charts"), series, styleOf);
const forests = new Forests(byId("forests"), byId("further"), byId("all-pairs"), named);
const views = byId("views");
views.addEventListener("change", () => charts.choose(views.querySelector(":checked").value));
charts.choose(views.querySelector(":checked").value);
if (matchMedia("(max-width: 46rem)").matches) for (const part of document.querySelectorAll(".part")) part.open = false;
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
  [charts.spans, charts.now] = [state.spans, state.seconds];
  const titles = charts.titles();
  byId("workloads").replaceChildren(...(titles.length > 1 ? titles.map((title, number) => element("li", {}, element("b", {}, String(number + 1)), title)) : []));
  showComparisons(state);
  byId("notes-section").hidden = !state.notes.length;
  setText("notes-title", `${state.notes.length} ${state.notes.length === 1 ? "remark" : "remarks"}`);
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
