"use strict";
// What pointing at a mark shows. The titles are for readers without this script.
const tip = document.getElementById("tip");
for (const mark of document.querySelectorAll("[data-tip]")) {
  mark.querySelector("title")?.remove();
  const show = (event) => {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const y = event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18;
    tip.style.left = Math.max(8, x) + "px";
    tip.style.top = Math.max(8, y) + "px";
  };
  mark.addEventListener("pointermove", show);
  mark.addEventListener("pointerdown", show);
  mark.addEventListener("pointerleave", () => { tip.hidden = true; });
}
// Switches of a legend: they hide and show their series in all charts of the page.
for (const key of document.querySelectorAll("[data-toggle]")) {
  key.addEventListener("click", () => {
    const on = key.getAttribute("aria-pressed") !== "true";
    for (const other of document.querySelectorAll("[data-toggle]"))
      if (other.dataset.toggle === key.dataset.toggle) other.setAttribute("aria-pressed", String(on));
    for (const series of document.querySelectorAll("[data-series]"))
      if (series.dataset.series === key.dataset.toggle) series.style.display = on ? "" : "none";
  });
}
// Buttons that copy code.
for (const code of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(code.querySelector("code").textContent);
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1200);
  });
  code.append(button);
}
document.documentElement.dataset.ready = "yes";
