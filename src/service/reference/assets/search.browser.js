// Adds a search field to a page of the reference, which finds headings, parameters and errors while the user types.
// Also adds buttons that copy code.
const search = document.querySelector("#search-box");
const query = document.querySelector("#query");
const results = document.querySelector("#results");
const list = results.querySelector("ol");
const count = results.querySelector("#count");
const contents = document.querySelector(".contents");
const MOST = 30;

/**
 * The elements that the search can find. Omits empty elements, which only preserve earlier anchors. `kind` orders
 * equally good matches.
 */
const places = [...document.querySelectorAll("main [id]:not(:empty)")].map((element) => {
  const isRow = element.matches("tr");
  const cells = [...element.querySelectorAll("th, td")].map((cell) => cell.textContent.replace(/\s+/g, " ").trim());
  const name = isRow ? cells[0] : element.firstChild.textContent.trim();
  const path = element.closest(".operation")?.getAttribute("aria-label")?.replace(/^\S+ /, "") ?? "";
  const about = isRow ? cells.slice(1).join(" ") : "";
  const isError = /^\d+$/.test(name);
  const title = isError ? `${name} ${cells[1]}` : `${name} ${path}`.trim();
  const searched = element.dataset.searched ?? "";
  return { id: element.id, title, about, searched, kind: isRow ? (isError ? 4 : 1) : 0 };
});

/** Words that are ignored in a query, such as "how" and "the". */
const ASKING = new Set(
  "a an and are be can do does for how i in is it my of on or the to use what when where".split(" "),
);

/** Returns the words of a query, without ignored words. */
function wordsOf(text) {
  const all = text
    .toLowerCase()
    .split(/[\s,?!]+/)
    .filter(Boolean);
  const naming = all.filter((word) => !ASKING.has(word));
  return naming.length > 0 ? naming : all;
}

/** Reports whether a text contains the singular of a word. */
const hasSingular = (text, word) => /..s$/.test(word) && text.split(/[^a-z0-9]+/).includes(word.slice(0, -1));

/**
 * Returns how badly a word matches a place: from 0, if the name starts with the word, to 3; undefined if the place does
 * not contain the word.
 */
function distance(place, word) {
  const [name, searched, about] = [place.title.replace(/^\//, ""), ` ${place.searched}`, place.about].map((text) =>
    text.toLowerCase(),
  );
  if (name.startsWith(word)) return 0;
  if (searched.includes(` ${word}`) || hasSingular(searched, word)) return 1;
  if (name.includes(word) || hasSingular(name, word)) return 2;
  return about.includes(word) || hasSingular(about, word) ? 3 : undefined;
}

/** Returns the places that contain the most words of a query, best matches first. */
function find(text) {
  const words = wordsOf(text);
  const ranked = places.map((place) => {
    const found = words.map((word) => distance(place, word)).filter((at) => at !== undefined);
    return { place, count: found.length, at: 2 * Math.max(...found) + place.kind };
  });
  const most = Math.max(...ranked.map(({ count }) => count));
  if (most === 0) return { places: [], isWhole: true };
  const best = ranked.filter(({ count }) => count === most).sort((a, b) => a.at - b.at);
  return { places: best.map(({ place }) => place), isWhole: most === words.length };
}

const NOTHING = { id: "endpoints", title: "All endpoints", about: "What is not among them, the service does not do." };

function show() {
  const { places: found, isWhole } = find(query.value);
  const shown = found.length > 0 || !document.getElementById(NOTHING.id) ? found : [NOTHING];
  list.replaceChildren(
    ...shown.slice(0, MOST).map(({ id, title, about }) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `#${id}`;
      link.textContent = title;
      const detail = document.createElement("small");
      detail.textContent = about.slice(0, 120);
      link.append(detail);
      item.append(link);
      return item;
    }),
  );
  count.textContent = `${found.length === 1 ? "1 place" : `${found.length} places`}${isWhole ? "" : " with some of the words"}`;
  results.hidden = query.value.trim() === "";
}

/** Moves the focus between the search field and the results. */
function step(by) {
  const stops = [query, ...list.querySelectorAll("a")];
  const next = stops.indexOf(document.activeElement) + by;
  stops[Math.max(0, Math.min(stops.length - 1, next))].focus();
}

function close() {
  results.hidden = true;
}

query.addEventListener("input", show);
query.addEventListener("focus", show);
search.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  }
  if (event.key === "Enter" && document.activeElement === query) list.querySelector("a")?.click();
  if (event.key === "Escape") {
    query.value = "";
    close();
    query.focus();
  }
});
list.addEventListener("click", close);
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) close();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || document.activeElement === query) return;
  event.preventDefault();
  query.focus();
});
search.hidden = false;

// On a small screen, an open table of contents would hide the text.
if (contents && matchMedia("(max-width: 60rem)").matches) contents.open = false;

if (navigator.clipboard) {
  for (const example of document.querySelectorAll(".example pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(example.textContent);
      button.textContent = "Copied";
    });
    example.before(button);
  }
}
