// A page has many code blocks, each with a navigation of its own: names tell them apart.
new MutationObserver(() => {
  document.querySelectorAll(".md-code__nav").forEach((buttons, number) => {
    const name = `Code block ${number + 1}`;
    if (buttons.ariaLabel !== name) buttons.ariaLabel = name;
  });
}).observe(document.documentElement, { childList: true, subtree: true });
