// Adds a search to a page of the reference: headings, parameters and errors, as one types. Also buttons that copy code.
const search = document.querySelector("#search");
const query = document.querySelector("#query");
const results = document.querySelector("#results");
const list = results.querySelector("ol");
const count = results.querySelector("#count");
const contents = document.querySelector(".contents");
const MOST = 30;

/** Places of the page by the text that names them. */
const places = [...document.querySelectorAll("main [id]")].map((element) => {
  const isRow = element.matches("tr");
  const cells = [...element.querySelectorAll("th, td")].map((cell) => cell.textContent.replace(/\s+/g, " ").trim());
  const name = isRow ? cells[0] : element.firstChild.textContent.trim();
  const path = element.closest(".operation")?.getAttribute("aria-label")?.replace(/^\S+ /, "") ?? "";
  const about = isRow ? cells.slice(1).join(" ") : "";
  const title = /^\d+$/.test(name) ? `${name} ${cells[1]}` : `${name} ${path}`.trim();
  return { id: element.id, title, about, words: `${title} ${about}`.toLowerCase(), isHeading: !isRow };
});

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = ({ title, isHeading }) => {
    const name = title.toLowerCase();
    const place = name.startsWith(words[0]) || name.startsWith(`/${words[0]}`) ? 0 : name.includes(words[0]) ? 1 : 2;
    return 2 * place + (isHeading ? 0 : 1);
  };
  return places
    .filter((place) => words.every((word) => place.words.includes(word)))
    .map((place) => ({ place, at: rank(place) }))
    .sort((a, b) => a.at - b.at)
    .map(({ place }) => place);
}

function show() {
  const found = find(query.value);
  list.replaceChildren(
    ...found.slice(0, MOST).map(({ id, title, about }) => {
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
  count.textContent = found.length === 1 ? "1 place" : `${found.length} places`;
  results.hidden = query.value.trim() === "";
}

/** Moves the focus among the field and its results. */
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

// A long list would hide the text on a small screen.
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
