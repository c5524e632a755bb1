// Reads the text, headings and tables of a page that Chromium displays: visible elements only, in their order. Runs in
// that page, so that it uses nothing outside itself.

export interface Cell {
  readonly text: string;
  readonly rows: number;
  readonly columns: number;
}

export type TruthBlock =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly Cell[])[] };

/**
 * Source of an expression that returns the {@link TruthBlock}s of its document. A table with fewer than three rows and
 * no head, with mostly one cell a row, or with long or structured cells arranges a page, and counts as text.
 */
export const READ_BLOCKS = `(() => {
  const SKIPPED = "script, style, noscript, template, annotation, svg, select, textarea, input, iframe, object, " +
    "audio, video";
  const blocks = [];
  let line = "";
  const clean = (text) => text.replace(/[^\\S\\n]+/g, " ").replace(/ ?\\n ?/g, "\\n").trim();
  const flush = () => {
    const text = clean(line);
    if (text !== "") blocks.push({ kind: "text", text });
    line = "";
  };
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isInline = (element) => /^(inline|ruby|math)|^contents$/.test(getComputedStyle(element).display);
  const alphabetic = (value) => String.fromCharCode(96 + ((value - 1) % 26) + 1);
  const ROMAN = [[1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"],
    [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]];
  const roman = (value) => ROMAN.reduce(([text, left], [size, digits]) =>
    [text + digits.repeat(Math.floor(left / size)), left % size], ["", value])[0];
  const marker = (item) => {
    const type = getComputedStyle(item).listStyleType;
    if (item.parentElement?.tagName !== "OL" || type === "none") return "";
    const list = item.parentElement;
    let value = list.start;
    for (const other of list.children) {
      if (other.tagName !== "LI") continue;
      if (other.hasAttribute("value")) value = other.value;
      if (other === item) break;
      value++;
    }
    const written = { "lower-alpha": alphabetic, "lower-latin": alphabetic, "lower-roman": roman,
      "upper-alpha": (one) => alphabetic(one).toUpperCase(), "upper-latin": (one) => alphabetic(one).toUpperCase(),
      "upper-roman": (one) => roman(one).toUpperCase() }[type] ?? String;
    return written(value) + ". ";
  };
  const isData = (table) => {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    const full = rows.filter((cells) => cells.filter((text) => text !== "").length > 1);
    return (rows.length > 2 || table.tHead !== null) && full.length * 2 >= rows.length && full.length > 1 &&
      rows.every((cells) => cells.every((text) => text.length < 400)) &&
      table.getAttribute("role") !== "presentation" &&
      !table.querySelector("table, h1, h2, h3, h4, pre, ul, ol, dl");
  };
  const textOf = (element) => {
    const before = line;
    const count = blocks.length;
    line = "";
    for (const child of element.childNodes) walk(child);
    flush();
    const text = blocks.splice(count).map((block) => block.text).join(" ").replace(/\\s+/g, " ");
    line = before;
    return text;
  };
  const readTable = (table) => {
    flush();
    if (table.caption && isVisible(table.caption)) blocks.push({ kind: "text", text: textOf(table.caption) });
    const rows = [...table.rows].filter(isVisible).map((row) => [...row.cells].filter(isVisible).map((cell) =>
      ({ text: textOf(cell), rows: cell.rowSpan, columns: cell.colSpan })));
    blocks.push({ kind: "table", rows });
  };
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const isKept = /^(pre|break-spaces)/.test(getComputedStyle(node.parentElement).whiteSpace);
      line += isKept ? node.data : node.data.replace(/\\s+/g, " ");
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SKIPPED) || !isVisible(node)) return;
    const heading = /^H([1-6])$/.exec(node.tagName);
    if (heading) {
      flush();
      const text = textOf(node);
      if (text !== "") blocks.push({ kind: "heading", level: Number(heading[1]), text });
    } else if (node.tagName === "TABLE" && isData(node)) readTable(node);
    else if (node.tagName === "BR") line += "\\n";
    else if (isInline(node)) for (const child of node.childNodes) walk(child);
    else {
      if (getComputedStyle(node).display === "table-cell") line += " ";
      else if (!(node.parentElement.tagName === "LI" && node === node.parentElement.firstElementChild)) flush();
      if (node.tagName === "LI") line += marker(node);
      for (const child of node.childNodes) walk(child);
      if (getComputedStyle(node).display !== "table-cell") flush();
    }
  };
  walk(document.body);
  flush();
  return blocks;
})()`;
