// A page has many code blocks and wide tables, added by scripts: names tell them apart, and the
// keyboard reaches those that scroll.
new MutationObserver(() => {
  document.querySelectorAll(".md-code__nav").forEach((buttons, number) => {
    const name = `Code block ${number + 1}`;
    if (buttons.ariaLabel !== name) buttons.ariaLabel = name;
  });
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((table) => {
    if (table.tabIndex !== 0) table.tabIndex = 0;
  });
}).observe(document.documentElement, { childList: true, subtree: true });
