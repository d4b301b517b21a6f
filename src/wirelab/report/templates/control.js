// The control on top: which metric the matrix shows, relative to what, and which contenders are on
// the page; and what is known of one comparison. Every text was prepared with the page, except for
// ratios of values that were not compared. The address keeps the view.
(async () => {
  "use strict";
  const form = document.getElementById("control");
  if (!form || !("DecompressionStream" in window)) return;
  const data = JSON.parse(await inflate(document.getElementById("comparisons")));
  const root = document.documentElement;
  const { metric: metrics, values: manner } = form.elements;
  const notes = document.querySelectorAll("[data-other-metric]");
  const heading = document.querySelector("[data-shown]");
  const judgedHeading = heading?.textContent;
  const signs = document.querySelectorAll(".signs > span:not([data-shown])");
  const boxes = [...form.querySelectorAll("[name=contender]")];
  const baselines = [...data.bands];

  const element = (name, className, ...parts) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...parts);
    return made;
  };

  const drawn = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  // -- cells ---------------------------------------------------------------------------------

  const asButton = (what) => {
    what.tabIndex = 0;
    what.role = "button";
    what.ariaHasPopup = "dialog";
  };

  const pairOf = ({ setting, contender, band }) =>
    data.settings[setting].pairs[`${contender} ${baselines[band]}`];

  const cells = [...document.querySelectorAll(".matrix td[data-contender]")].map((cell) => {
    if (pairOf(cell.dataset)) asButton(cell.querySelector(".what"));
    const edge = cell.classList.contains("edge") ? " edge" : "";
    return { cell, edge, look: cell.className, first: [...cell.childNodes], at: cell.dataset };
  });

  const times = (ratio) => `${ratio >= 0.0995 && ratio < 9.995 ? ratio.toFixed(2) : Number(ratio.toPrecision(ratio < 1 ? 2 : 3))}×`;

  // What a cell shows: the style, the sign, the large figure, the one beside it, words, the value.
  const contentOf = (at) => {
    const { values } = data.settings[at.setting];
    const [metric, base] = [metrics.value, baselines[at.band]];
    const [text, number] = values[at.contender][metric];
    const isJudged = metric === data.judged;
    if (number === null) return ["open", "", "–", "", text, ""];
    if (at.contender === base) return ["base", "", text, "", "baseline", ""];
    const pair = pairOf(at);
    const other = values[base]?.[metric]?.[1];
    const [ratio, interval, sign, words] = isJudged
      ? pair?.said ?? ["", "", "", "no baseline"]
      : [...(pair?.also[metric] ?? [other ? times(number / other) : "", ""]), "", ""];
    const look = isJudged && pair ? pair.style : "open";
    if (manner.value === "absolute" || !ratio) return [look, sign, text, ratio, words, ""];
    return [look, sign, ratio, interval, words, text];
  };

  const fill = ({ cell, edge, look, first, at }) => {
    const isFirst = baselines[at.band] === data.bands[at.band] && metrics.value === data.judged;
    if (isFirst && manner.value === "relative") {
      cell.className = look;
      cell.replaceChildren(...first);
      return;
    }
    const [style, sign, large, beside, how, value] = contentOf(at);
    const mark = element("span", "sign", sign);
    mark.ariaHidden = "true";
    const what = element("span", "what", ...(sign ? [mark] : []), element("strong", "", large));
    what.append(" ", element("span", "interval", beside));
    if (pairOf(at)) asButton(what);
    cell.className = style + edge;
    const rest = [element("span", "how", how), " ", element("span", "time", value)];
    cell.replaceChildren(first[0], what, " ", ...rest);
  };

  // The line above the matrix names what its cells show, and explains the signs that are in them.
  const head = () => {
    if (!heading) return;
    const isJudged = metrics.value === data.judged;
    const others = baselines.filter((name, band) => name !== data.bands[band]);
    const isFirst = isJudged && !others.length;
    const title = isJudged ? judgedHeading.split(" relative to ")[0] : metrics.selectedOptions[0].textContent;
    const capital = /^p\d/.test(title) ? title : title[0].toUpperCase() + title.slice(1);
    const one = baselines.length === 1 ? `relative to ${data.labels[baselines[0]]}` : heading.dataset.relativeTo;
    heading.textContent = isFirst ? judgedHeading : `${capital} ${one}`.trim();
    for (const sign of signs) sign.hidden = !isJudged;
  };

  const show = () => {
    for (const note of notes) note.hidden = metrics.value === data.judged;
    head();
    cells.forEach(fill);
    for (const [button, { rebase, contender }] of [...headers, ...names])
      button.ariaPressed = String(baselines[rebase] === contender);
    for (const band of document.querySelectorAll("[data-relative]")) // no question names it
      band.textContent = `Relative to ${data.labels[baselines[band.dataset.relative]]}`;
    for (const box of boxes) {
      box.disabled = baselines.includes(box.dataset.contender); // others are compared with it
      if (box.disabled) box.checked = true;
    }
    hide();
  };

  // -- baselines: the header of a contender makes it the baseline of its band ----------------------

  const headers = [...document.querySelectorAll("[data-rebase]")].map((header) => {
    const name = header.querySelector(".name-of");
    const button = rebasing(header.dataset.rebase, header.dataset.contender);
    button.append(...name.childNodes);
    name.replaceWith(button);
    return [button, header.dataset];
  });

  function rebasing(band, contender) {
    const button = element("button", "name-of");
    button.type = "button";
    button.title = `Compare the others with ${data.labels[contender]}`;
    button.addEventListener("click", () => {
      baselines[band] = contender;
      show();
    });
    return button;
  }

  // In a narrow window, which has no headers, the names in cells do the same.
  const names = cells.filter(({ cell }) => !cell.closest(".tall")).map(({ first: [who], at }) => {
    const button = rebasing(at.band, at.contender);
    button.append(...who.childNodes);
    who.append(button);
    return [button, { rebase: at.band, contender: at.contender }];
  });

  // -- one comparison ----------------------------------------------------------------------------

  const detail = element("div", "detail");
  detail.popover = "auto";
  detail.role = "dialog";
  detail.ariaLabel = "One comparison";
  document.querySelector("main").append(detail);

  const picture = ({ blocks, ends }) => {
    const [width, height, pad] = [270, 46, 8];
    const beyond = 1 + data.margin;
    const all = [...blocks, ...ends, beyond, 1 / beyond].map(Math.log);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const x = (ratio) => pad + ((Math.log(ratio) - low) / (high - low)) * (width - 2 * pad);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "blocks" });
    svg.ariaLabel = `Blocks: ${blocks.map(times).join(", ")}`;
    svg.append(
      drawn("rect", { class: "margin", x: x(1 / beyond), width: x(beyond) - x(1 / beyond), y: 0, height }),
      drawn("path", { class: "equality", d: `M${x(1)},0V${height}` }),
      ...blocks.map((each, place) => drawn("circle", { cx: x(each), cy: 10 + 5 * (place % 3), r: 3 })),
      drawn("circle", { class: "mean", cx: x(ends[0]), cy: 36, r: 4 }),
    );
    if (ends.length === 3) svg.append(drawn("path", { class: "mean", d: `M${x(ends[1])},36H${x(ends[2])}` }));
    return svg;
  };

  const tell = (what) => {
    const at = what.closest("td").dataset;
    const pair = pairOf(at);
    const [ratio, interval, sign, words] = pair.said;
    const { title } = data.settings[at.setting];
    const verdict = element("strong", pair.style.split(" ")[0], `${sign} ${words}`.trim());
    const heard = `Each disc on top is one of ${pair.blocks.length} blocks; below is their mean with its 95 % interval. The band is the margin.`;
    detail.replaceChildren(
      element("p", "soft", `${data.labels[at.contender]} relative to ${data.labels[baselines[at.band]]} · ${title}`),
      element("p", "", `${ratio} ${interval} `, verdict),
      ...(pair.ends.length ? [picture(pair), element("p", "soft", heard)] : []),
      element("p", "", `${pair.why[0].toUpperCase()}${pair.why.slice(1)}.`),
      ...(pair.command ? [element("p", "", "This would probably decide it:"), element("pre", "", pair.command)] : []),
    );
    if (!detail.matches(":popover-open")) detail.showPopover();
    const box = what.getBoundingClientRect();
    const below = box.bottom + 6 + detail.offsetHeight < innerHeight;
    detail.style.left = `${Math.max(8, Math.min(box.left, innerWidth - detail.offsetWidth - 8))}px`;
    detail.style.top = `${Math.max(8, below ? box.bottom + 6 : box.top - 6 - detail.offsetHeight)}px`;
  };

  const whatOf = (event) => event.target.closest?.(".matrix td > .what[role=button]");
  document.addEventListener("click", (event) => whatOf(event) && tell(whatOf(event)));
  document.addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible") && whatOf(event)) tell(whatOf(event));
  });
  document.addEventListener("focusout", (event) => whatOf(event) && event.relatedTarget && detail.hidePopover());
  document.addEventListener("keydown", (event) => {
    const menu = form.querySelector("details[open]");
    if (event.key === "Escape" && menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (event.key === "Enter" && whatOf(event)) tell(whatOf(event));
  });
  document.addEventListener("click", (event) => {
    const menu = form.querySelector("details[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });

  // -- contenders: identified by their colour, which is unique in tables and charts -----------------

  const mark = (part) => {
    for (const dot of part.querySelectorAll(".dot")) {
      const tds = ".matrix:not(.tall) :is(td, th)"; // in a tall matrix, a contender has a row
      const item = dot.closest(`${tds}, .legend li, .choices label, tr`);
      if (item && !item.matches(".choices label"))
        item.dataset.who ??= dot.style.getPropertyValue("--hue").slice(6, -1);
    }
    for (const drawing of part.querySelectorAll("figure .drawing")) {
      const texts = [...drawing.querySelectorAll("svg text")];
      const isForest = /^figure-(more-)?forest|^figure-factor/.test(drawing.closest("figure").id);
      const near = drawing.matches(".narrow") ? 31 : 2; // names are above the mark, or beside it
      for (const box of boxes) {
        for (const name of texts.filter((text) => text.textContent === box.dataset.label)) {
          const inRow = (text) => depth(text) - depth(name) < near && depth(name) - depth(text) < 2;
          for (const text of isForest ? texts.filter(inRow) : [name]) text.dataset.who = box.value;
        }
      }
    }
  };

  const depth = (node) => {
    let sum = 0;
    for (let each = node; each?.getAttribute; each = each.parentNode)
      sum += Number(/translate\([^,]+,\s*([-\d.]+)/.exec(each.getAttribute("transform"))?.[1] ?? 0);
    return sum;
  };

  const hide = () => {
    const hidden = boxes.filter((box) => !box.checked);
    root.dataset.hidden = hidden.map((box) => box.value).join(" ");
    form.querySelector(".count").textContent = `${boxes.length - hidden.length} of ${boxes.length}`;
    const names = new Set(hidden.map((box) => box.dataset.contender));
    for (const band of document.querySelectorAll("[data-of-band]")) {
      const those = headers.filter(([, at]) => at.rebase === band.dataset.ofBand);
      const tables = document.querySelectorAll(`[data-of-band="${band.dataset.ofBand}"]`).length;
      band.colSpan = those.filter(([, at]) => !names.has(at.contender)).length / tables;
    }
    keep();
  };

  // -- the address -------------------------------------------------------------------------------

  const keep = () => {
    const view = new URLSearchParams();
    if (metrics.value !== data.judged) view.set("metric", metrics.value);
    if (manner.value !== "relative") view.set("values", manner.value);
    baselines.forEach((name, band) => name === data.bands[band] || view.append("baseline", `${band}.${name}`));
    for (const box of boxes) if (!box.checked) view.append("hidden", box.dataset.contender);
    const query = view.size ? `?${view}` : "";
    if (query !== location.search) history.replaceState(null, "", `${query || location.pathname}${location.hash}`);
  };

  const restore = () => {
    const view = new URLSearchParams(location.search);
    const metric = view.get("metric");
    if ([...metrics.options].some((each) => each.value === metric)) metrics.value = metric;
    if (view.get("values") === "absolute") manner.value = "absolute";
    for (const [, band, name] of view.getAll("baseline").map((it) => /^(\d+)\.(.+)$/.exec(it) ?? []))
      if (headers.some(([, at]) => at.rebase === band && at.contender === name)) baselines[band] = name;
    for (const box of boxes) box.checked = !view.getAll("hidden").includes(box.dataset.contender);
  };

  form.addEventListener("change", (event) => (event.target.name === "contender" ? hide() : show()));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.elements.all.addEventListener("click", () => {
    for (const box of boxes) box.checked = true;
    hide();
  });
  document.addEventListener("chart-alive", (event) => mark(event.target.parentElement));
  form.reset();
  mark(document);
  restore();
  show();
  form.hidden = false;
})();
