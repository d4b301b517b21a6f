// The control on top: which metric the matrix shows, how, and which contenders are on the page.
// Every text was prepared with the page; the script only chooses.
(() => {
  "use strict";
  const form = document.getElementById("control");
  if (!form) return;
  const root = document.documentElement;
  const judged = form.querySelector("output").dataset.judged;
  const notes = document.querySelectorAll("[data-other-metric]");
  const heading = document.querySelector("[data-shown]");
  const judgedHeading = heading?.textContent;
  const signs = document.querySelectorAll(".signs > span:not([data-shown])");
  const boxes = [...form.querySelectorAll("[name=contender]")];

  const cells = [...document.querySelectorAll(".matrix td[data-values]")].map((cell) => {
    const [what, how] = [cell.querySelector(".what"), cell.querySelector(".how")];
    const first = { look: cell.className, what: [...what.childNodes], how: [...how.childNodes] };
    const asides = first.how.filter((node) => node.className?.startsWith("aside"));
    return { cell, what, how, first, asides, values: JSON.parse(cell.dataset.values) };
  });

  const element = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };

  // The line above the matrix names what its cells show, and explains the signs that are in them.
  const head = (metric, relative) => {
    if (!heading) return;
    const title = form.elements.metric.selectedOptions[0].textContent;
    const capital = /^p\d/.test(title) ? title : title[0].toUpperCase() + title.slice(1);
    const other = relative ? `${capital} ${heading.dataset.relativeTo}` : capital;
    heading.textContent = metric === judged ? judgedHeading : other;
    for (const sign of signs) sign.hidden = metric !== judged;
  };

  const show = () => {
    const metric = form.elements.metric.value;
    const relative = form.elements.values.value === "relative";
    for (const note of notes) note.hidden = metric === judged;
    head(metric, relative);
    for (const { cell, what, how, first, asides, values } of cells) {
      const isBase = first.look === "base";
      cell.className = metric === judged || isBase ? first.look : "open";
      if (metric === judged && relative) {
        what.replaceChildren(...first.what);
        how.replaceChildren(...first.how);
        continue;
      }
      const [value, ratio, interval] = values[metric] ?? ["–", "", ""];
      const [large, beside] = relative && !isBase ? [ratio, value] : [value, isBase ? "" : ratio];
      const sign = metric === judged && first.what.find((node) => node.className === "sign");
      what.replaceChildren(
        ...(sign ? [sign.cloneNode(true)] : []),
        element("strong", "", large),
        " ",
        element("span", "time", beside),
      );
      const isOwn = metric === judged || isBase;
      how.replaceChildren(...(isOwn ? first.how : [interval, " ", ...asides]));
    }
  };

  // Contenders are identified by their colour, which is unique in tables and charts.
  const mark = (part) => {
    for (const dot of part.querySelectorAll(".dot")) {
      const cells = ".matrix:not(.tall) :is(td, th)"; // in a tall matrix, a contender has a row
      const item = dot.closest(`${cells}, .legend li, .choices label, tr`);
      if (item && !item.matches(".choices label"))
        item.dataset.who ??= dot.style.getPropertyValue("--hue").slice(6, -1);
    }
    for (const drawing of part.querySelectorAll("figure .drawing")) {
      const texts = [...drawing.querySelectorAll("svg text")];
      const isForest = /^figure-(more-)?forest|^figure-factor/.test(drawing.closest("figure").id);
      for (const box of boxes) {
        for (const name of texts.filter((text) => text.textContent === box.dataset.label)) {
          const inRow = (text) => Math.abs(depth(text) - depth(name)) < 2;
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
  form.hidden = false;
})();
