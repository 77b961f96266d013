// Filters, the theme, copying, and the details of a map's cells. Without it everything
// can still be read.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Theme: the system's until somebody chooses.
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try { return localStorage.getItem("lockstep-theme"); } catch { return null; }
  };
  const toggle = $("#theme");
  const show = (theme) => {
    root.dataset.theme = theme;
    const other = theme === "dark" ? "light" : "dark";
    toggle.setAttribute("aria-label", `Switch to the ${other} theme`);
    $(".word", toggle).textContent = other === "dark" ? "Dark" : "Light";
  };
  const preferred = () => stored() ?? (system.matches ? "dark" : "light");
  show(preferred());
  system.addEventListener("change", () => show(preferred()));
  toggle.addEventListener("click", () => {
    const theme = root.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("lockstep-theme", theme); } catch { /* a file may have no storage */ }
    show(theme);
  });

  // Filters: text, and how kernels stand.
  const kernels = $$(".kernel");
  const search = $("#search");
  const chips = $$(".chip");
  // What a search leaves alone is unfolded, with its first finding, until something else is searched for.
  let unfolded = [];
  let lone = null;
  const unfold = (kernel) => {
    if (kernel === lone) return;
    unfolded.forEach((details) => { details.open = false; });
    lone = kernel;
    const wanted = kernel ? [kernel, $(".finding[open]", kernel) ?? $(".finding", kernel)] : [];
    unfolded = wanted.filter((details) => details && !details.open);
    unfolded.forEach((details) => { details.open = true; });
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const standings = new Set(
      chips.filter((c) => c.getAttribute("aria-pressed") === "true").map((c) => c.dataset.standing)
    );
    const fitting = kernels.filter((kernel) => standings.has(kernel.dataset.standing)
      && words.every((w) => kernel.dataset.text.includes(w)));
    kernels.forEach((k) => k.classList.toggle("hidden", !fitting.includes(k)));
    unfold(words.length > 0 && fitting.length === 1 ? fitting[0] : null);
    const shown = fitting.length;
    const all = shown === kernels.length;
    $("#shown").textContent = all ? "" : `${shown} of ${kernels.length} kernels`;
    $("#nothing").classList.toggle("hidden", shown > 0 || kernels.length === 0);
  };
  search.addEventListener("input", filter);
  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
      filter();
    });
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      filter();
    }
  });

  const fold = $("#fold");
  const word = () => {
    fold.textContent = kernels.some((k) => k.open) ? "Collapse all" : "Expand all";
  };
  fold.addEventListener("click", () => {
    const open = !kernels.some((k) => k.open);
    kernels.forEach((k) => { k.open = open; });
  });
  kernels.forEach((k) => k.addEventListener("toggle", word));
  word();

  // The bar may need several lines, and does not stay at the top of a narrow window.
  const bar = $(".bar");
  const measure = () => {
    const sticks = getComputedStyle(bar).position === "sticky";
    root.style.setProperty("--bar", `${sticks ? bar.offsetHeight : 0}px`);
  };
  new ResizeObserver(measure).observe(bar);
  measure();

  // A link to something folded unfolds it.
  const reveal = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  for (const button of $$(".copy")) {
    button.addEventListener("click", async () => {
      const text = $("code", button.parentElement).textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren($("code", button.parentElement));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  // Maps: pointing at a cell shows it, a click keeps it; arrow keys walk.
  for (const map of $$(".map")) {
    const detail = $(".detail", map);
    const cells = $$(".cell[data-element]", map);
    let kept = cells.find((c) => c.classList.contains("marked"));
    const say = (cell) => { if (cell) detail.textContent = cell.dataset.text; };
    const keep = (cell) => {
      kept?.classList.remove("chosen");
      cells.forEach((c) => { c.tabIndex = c === cell ? 0 : -1; });
      kept = cell;
      kept.classList.add("chosen");
      say(cell);
    };
    const walk = (cell, key) => {
      const columns = Number(map.dataset.columns);
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
      if (!step) return false;
      const from = Number(cell.dataset.element);
      const onward = cells.filter((c) => Math.sign(Number(c.dataset.element) - from) === Math.sign(step));
      const goal = from + step;
      const distance = (c) => Math.abs(Number(c.dataset.element) - goal);
      const next = onward.sort((a, b) => distance(a) - distance(b))[0];
      if (next) { keep(next); next.focus(); }
      return true;
    };
    for (const cell of cells) {
      cell.addEventListener("mouseenter", () => say(cell));
      cell.addEventListener("mouseleave", () => say(kept));
      cell.addEventListener("focus", () => say(cell));
      cell.addEventListener("click", () => keep(cell));
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") keep(cell);
        else if (!walk(cell, event.key)) return;
        event.preventDefault();
      });
    }
    say(kept);
  }
})();
