// Makes charts interactive on demand: the page contains the scripts compressed and unpacks them on
// first use. Without scripts, or in a browser that cannot unpack, the static charts remain.
const inflate = (script) => {
  const bytes = Uint8Array.from(atob(script.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};

(() => {
  "use strict";
  const packed = document.getElementById("vega-program");
  let unpacking = null;

  const unpack = async () => {
    const program = document.createElement("script");
    program.textContent = await inflate(packed);
    document.head.append(program);
  };

  const explore = async (figure, button) => {
    button.disabled = true;
    button.textContent = "loading …";
    unpacking ??= unpack();
    await unpacking;
    for (const drawing of figure.querySelectorAll(".drawing")) {
      const spec = JSON.parse(await inflate(drawing.querySelector("script")));
      const stage = document.createElement("div");
      // `ast`: expressions are interpreted, so the page's policy can forbid `eval`.
      await window.vegaEmbed(stage, spec, { renderer: "svg", actions: false, ast: true });
      drawing.querySelector("svg").replaceWith(stage);
    }
    figure.classList.add("alive");
    figure.dispatchEvent(new Event("chart-alive", { bubbles: true }));
    button.remove();
  };

  const tryToExplore = async (figure) => {
    const button = figure.querySelector(".explore");
    if (!button || button.disabled) return;
    try {
      await explore(figure, button);
    } catch (problem) {
      button.textContent = "not possible in this browser";
      console.error(problem);
    }
  };

  const isShown = (svg) => svg.getBoundingClientRect().width > 0;

  const save = async (figure) => {
    const drawn = [...figure.querySelectorAll(".drawing svg")].find(isShown);
    const copy = drawn.cloneNode(true);
    const parts = copy.querySelectorAll("*");
    drawn.querySelectorAll("*").forEach((part, place) => {
      const { fill, stroke } = getComputedStyle(part); // an image does not know the page's colours
      parts[place].setAttribute("fill", fill);
      parts[place].setAttribute("stroke", stroke);
    });
    const { width, height } = drawn.getBoundingClientRect();
    const page = getComputedStyle(document.body);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("font-family", page.fontFamily);
    const text = encodeURIComponent(new XMLSerializer().serializeToString(copy));
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${text}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    context.fillStyle = page.backgroundColor;
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    const link = document.createElement("a");
    [link.href, link.download] = [canvas.toDataURL(), `${figure.id}.png`];
    link.click();
  };

  for (const figure of document.querySelectorAll("figure.chart")) {
    const button = figure.querySelector(".save");
    button.hidden = false;
    button.addEventListener("click", () => save(figure));
  }

  if (packed && "DecompressionStream" in window) {
    const figures = [...document.querySelectorAll("figure.chart")];
    for (const figure of figures) {
      const button = figure.querySelector(".explore");
      button.hidden = false;
      button.addEventListener("click", () => tryToExplore(figure));
    }
    const all = document.getElementById("explore-all");
    all.hidden = figures.length === 0;
    all.addEventListener("click", async () => {
      all.disabled = true;
      for (const figure of figures) {
        await tryToExplore(figure);
        await new Promise((resolve) => setTimeout(resolve)); // let the browser handle events in between
      }
      all.hidden = true;
    });
  }

  const links = new Map(
    [...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]),
  );
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) {
          for (const link of links.values()) link.classList.remove("here");
          links.get(entry.target.id)?.classList.add("here");
        }
      }
    },
    { rootMargin: "0px 0px -75% 0px" },
  );
  for (const section of document.querySelectorAll("section[id]")) watcher.observe(section);
})();
