"use strict";
for (const plot of document.querySelectorAll(".plot")) {
  const svg = plot.querySelector("svg"), tip = plot.querySelector(".tip"), guide = plot.querySelector(".guide");
  const table = plot.parentElement.querySelector("table.values");
  const rows = table ? [...table.tBodies[0].rows] : [];
  if (!rows.length) continue;
  const head = table.tHead.rows[0].cells;
  const [low, high, scale, left, right] = svg.dataset.x.split(",").map((v, i) => (i === 2 ? v : Number(v)));
  const t = scale === "log" ? Math.log : (v) => v;
  const places = rows.map((row) => {
    return left + ((t(Number(row.cells[0].dataset.v)) - t(low)) / (t(high) - t(low))) * (right - left);
  });
  let at = -1;
  const hide = () => { tip.hidden = true; guide.setAttribute("visibility", "hidden"); };
  const show = (wanted) => {
    at = Math.max(0, Math.min(rows.length - 1, wanted));
    guide.setAttribute("x1", places[at]);
    guide.setAttribute("x2", places[at]);
    guide.setAttribute("visibility", "visible");
    const title = document.createElement("b");
    title.textContent = head[0].textContent + " " + rows[at].cells[0].textContent;
    tip.replaceChildren(title);
    for (let k = 1; k < head.length; k++) {
      const value = rows[at].cells[k] ? rows[at].cells[k].textContent : "";
      if (!value) continue;
      const line = document.createElement("span"), words = document.createElement("em");
      line.className = head[k].className;
      words.textContent = head[k].textContent + ": " + value;
      line.append(document.createElement("i"), words);
      tip.append(line);
    }
    tip.hidden = false;
    const share = (100 * places[at]) / svg.viewBox.baseVal.width, leftHalf = share < 50;
    tip.style.left = leftHalf ? share + 2 + "%" : "auto";
    tip.style.right = leftHalf ? "auto" : 102 - share + "%";
  };
  const follow = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    let best = 0;
    places.forEach((p, i) => { if (Math.abs(p - x) < Math.abs(places[best] - x)) best = i; });
    show(best);
  };
  const steps = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => rows.length - 1 };
  plot.addEventListener("pointermove", follow);
  plot.addEventListener("pointerdown", follow);
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("focus", () => { if (plot.matches(":focus-visible")) show(at < 0 ? 0 : at); });
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    show(steps[event.key]());
  });
}
