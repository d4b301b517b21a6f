"use strict";
// Pages say everything without this; it saves loading them again while bundles are read.
(() => {
  const progress = document.getElementById("progress");
  const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));

  async function showWhatWasRead(unread) {
    for (const entry of document.querySelectorAll("[data-unread]")) {
      if (unread.includes(entry.dataset.unread)) continue;
      const response = await fetch(`/entry/${entry.dataset.unread}`);
      if (!response.ok) continue;
      const read = document.createElement("template");
      read.innerHTML = await response.text();
      const box = entry.querySelector("input");
      const newBox = read.content.querySelector("input");
      if (box && newBox) newBox.checked = box.checked;
      const focused = entry.contains(document.activeElement) ? document.activeElement.tagName : "";
      const heir = focused && read.content.querySelector(focused);
      entry.replaceWith(read.content);
      if (heir) heir.focus();
    }
  }

  async function follow() {
    const waits = "wait" in progress.dataset;
    for (;;) {
      await pause(1000);
      try {
        const state = await (await fetch("/progress")).json();
        if (progress.textContent !== state.text) progress.textContent = state.text;
        if (waits) {
          const here = await fetch(location.href, { method: "HEAD" });
          if (here.status !== 202) return location.reload();
        } else {
          await showWhatWasRead(state.unread);
          if (!state.unread.length) return;
        }
      } catch {
        progress.textContent = "The server has ended: start `wirelab browse` again, then load this page again.";
        return;
      }
    }
  }

  // Compare says why it is disabled; the server would say the same.
  function shelf() {
    const how = document.getElementById("how");
    const button = document.querySelector(".together button");
    const advice = how.textContent;
    const reason = ([first, ...others]) => {
      if (!others.length) return advice;
      if (others.length >= Number(how.dataset.most)) return `At most ${how.dataset.most} bundles can be compared.`;
      for (const other of others) {
        for (const what of ["study", "metric", "baseline"]) {
          const [a, b] = [first.dataset[what], other.dataset[what]];
          if (a !== undefined && b !== undefined && a !== b)
            return `${first.dataset.name} and ${other.dataset.name} cannot be compared: ${what} ${a}, and ${b}.`;
        }
      }
      return "";
    };
    const judge = () => {
      const why = reason([...document.querySelectorAll(".entry input:checked")]);
      button.disabled = Boolean(why);
      how.textContent = why || "These bundles can be compared.";
    };
    document.addEventListener("change", judge);
    judge();
  }

  if (document.getElementById("how")) shelf();
  if (progress && "busy" in progress.dataset) follow();
})();
