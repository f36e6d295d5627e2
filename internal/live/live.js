// Asks for what has changed and puts it in place. Without it the page is as it
// was when it was loaded. What arrives is HTML that the server has escaped.
"use strict";
(function () {
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  const address = location.pathname + "?part";
  let tag = "", misses = 0;
  function opened(root) {
    return new Set([...root.querySelectorAll("details[open]")].map((d) => d.id));
  }
  async function ask() {
    try {
      const answer = await fetch(address, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      misses = 0;
      document.body.classList.remove("offline");
      if (answer.status === 200) {
        tag = answer.headers.get("ETag") || "";
        const text = await answer.text();
        const open = opened(main), selected = String(getSelection());
        if (!selected) {
          main.innerHTML = text;
          for (const d of main.querySelectorAll("details")) if (open.has(d.id)) d.open = true;
          const verdict = main.querySelector(".verdict");
          document.title = (verdict ? verdict.dataset.title + " · " : "") + "replaycheck";
        } else {
          tag = "";
        }
      } else if (answer.status === 404) {
        document.body.classList.add("offline");
      }
    } catch {
      if (++misses > 1) document.body.classList.add("offline");
    }
    setTimeout(ask, document.hidden ? 3000 : misses ? 2000 : 500);
  }
  setTimeout(ask, 500);
})();
