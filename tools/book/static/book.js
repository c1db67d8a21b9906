// From a file a page may not read the others, whose passages a search shows beside their titles.
DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";

// What a page plays has a script of its name beside this one.
const beside = document.currentScript.src;
document.addEventListener("DOMContentLoaded", () => {
  for (const { id } of document.querySelectorAll(".interactive"))
    document.head.appendChild(Object.assign(document.createElement("script"), { src: new URL(`${id}.js`, beside) }));
});
