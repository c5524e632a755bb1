// Tests that documents made for paper print at their own scale and on their own page size, unless the client requests
// otherwise. Pages made for screens fill the paper's width as they fill a desktop window.
import { describe, expect, test } from "vitest";
import { chromium, openChromium, pages, show, site } from "../../../../test/support/chromium-site.ts";
import { html, infoOf, LETTER, printAs, wordsOf } from "../../../../test/support/chromiums.ts";
import type { PageSource } from "../chromium.ts";
import type { PrintOptions } from "../page.ts";

openChromium();

const OWN = { size: true, margin: true };
const print = (source: PageSource | string, options: Partial<PrintOptions> = {}) =>
  printAs(chromium, source, { paper: LETTER, margin: 72, ownPages: OWN, ...options });

/** Ten characters of 0.6 em at 12 points, 72 points wide without scaling, and a text at the edge of a 4-inch box. */
const TEXT = `<p class=text>tenletters<div class=box>edge</div>`;
const page = (
  head: string,
  text = TEXT,
) => `<!doctype html><style>body { margin: 0 } .text { font: 12pt monospace; margin: 0 }
  .box { width: 4in; text-align: right }</style>${head}${text}`;

const OWN_SCALE = 1;
const DESKTOP_SCALE = (612 - 144) / (1280 * 0.75);

/** Returns the ratio of a printed length to its length in the style sheet. */
function scaleOf(path: string): number {
  const [ten, edge] = wordsOf(path);
  const scale = (ten!.right - ten!.left) / 72;
  expect((edge!.right - ten!.left) / 288 / scale).toBeCloseTo(1, 1);
  return scale;
}

const EMPTY_PRINT = "<style>@media print {}</style>";
const MIXED = "<style media='screen, print'>b { color: red }</style>";
const SCREEN = "<style media=screen>@page { size: A5 }</style><style>@media screen { @page { size: A5 } }</style>";

describe("a document with print styles of its own keeps CSS units", () => {
  test.each([
    ["a page rule", "<style>@page { margin: 1in }</style>"],
    ["a rule of margin boxes", "<style>@page { @bottom-center { content: 'x' } }</style>"],
    ["a page rule in a condition", "<style>@supports (color: red) { @page :first { margin: 1in } }</style>"],
    ["a print medium", "<style>@media print { b { color: red } }</style>"],
    ["a print medium with a feature", "<style>@media only print and (color) { b { color: red } }</style>"],
    ["a medium in a rule", "<style>b { @media print { color: red } }</style>"],
    ["a style element for print", "<style media=print>b { color: red }</style>"],
    ["an imported sheet", `<style>@import url("data:text/css,@media print { b { color: red } }");</style>`],
    [
      "a script's style sheet",
      "<script>document.head.append(Object.assign(document.createElement('style'), { textContent: '@page { " +
        "margin: 1in }' }))</script>",
    ],
    [
      "a late script's style sheet",
      "<script>setTimeout(() => document.head.append(Object.assign(document.createElement('style'), { " +
        "textContent: '@page { margin: 1in }' })), 60)</script>",
    ],
  ])("%s", async (_, head) => {
    expect(scaleOf(await print(page(head)))).toBeCloseTo(OWN_SCALE, 2);
    expect(scaleOf(await print({ ...html(page(head)), isStill: true }))).toBeCloseTo(OWN_SCALE, 2);
  });

  test.each([
    ["none at all", ""],
    ["an empty one", EMPTY_PRINT],
    ["one for screens as well", MIXED],
    ["one that is for screens alone", SCREEN],
    ["one that is turned off", "<style id=s>@page { size: A5 }</style><script>s.disabled = true</script>"],
  ])("a page with %s is fitted", async (_, head) => {
    const path = await print(page(head));
    expect(scaleOf(path)).toBeCloseTo(DESKTOP_SCALE, 2);
    expect(infoOf(path)["Page size"]).toBe("612 x 792 pts (letter)");
  });

  test("by its address, and with style sheets of its own site or another one", async () => {
    pages.set("/page.css", show("@page { size: A5; margin: 36pt }", "text/css"));
    pages.set("/plain.css", show("b { color: red }", "text/css"));
    pages.set("/print.css", show("b { color: red }", "text/css"));
    pages.set("/own", show(page("<link rel=stylesheet href=/page.css>")));
    const a5 = await print({ url: `${site.url}/own` });
    expect(scaleOf(a5)).toBeCloseTo(OWN_SCALE, 2);
    expect(infoOf(a5)["Page size"]).toContain("(A5)");
    for (const [link, scale] of [
      [`<link rel=stylesheet href="${site.url}/page.css">`, OWN_SCALE],
      [`<style>@import url("${site.url}/page.css");</style>`, OWN_SCALE],
      [`<link rel=stylesheet href="${site.url}/print.css" media=print>`, OWN_SCALE],
      [`<link rel=stylesheet href="${site.url}/plain.css">`, DESKTOP_SCALE],
      [`<link rel=stylesheet href="${site.url}/page.css" media=screen>`, DESKTOP_SCALE],
    ] as const) {
      expect(scaleOf(await print(page(link))), link).toBeCloseTo(scale, 2);
      expect(scaleOf(await print({ ...html(page(link)), isStill: true })), link).toBeCloseTo(scale, 2);
    }
  });
});

describe("what the client asks for stands above the document", () => {
  const CSS = "<style>@page { size: A5 landscape; margin: 36pt }</style>";
  const measured = async (head: string, options: Partial<PrintOptions>) => {
    const path = await print(page(head), options);
    const [word] = wordsOf(path);
    return [infoOf(path)["Page size"], Math.round(word!.left), scaleOf(path)] as const;
  };

  test("nothing: its own pages", async () => {
    expect(await measured(CSS, {})).toEqual(["594.96 x 420 pts (A5)", 36, expect.closeTo(1, 2)]);
  });

  test.each([
    ["", CSS],
    ["important", CSS.replaceAll(/;| }/g, " !important$&")],
  ])("a size, a margin, both: %s", async (_, css) => {
    const own = (size: boolean, margin: boolean) => measured(css, { ownPages: { size, margin } });
    expect(await own(false, true)).toEqual(["612 x 792 pts (letter)", 36, expect.closeTo(1, 2)]);
    expect(await own(true, false)).toEqual(["594.96 x 420 pts (A5)", 72, expect.closeTo(1, 2)]);
    expect(await own(false, false)).toEqual(["612 x 792 pts (letter)", 72, expect.closeTo(1, 2)]);
  });

  test("a layout, and be it the default one: it is fitted, on the client's paper", async () => {
    const desktop = await measured(CSS, { layout: "desktop" });
    expect(desktop).toEqual(["612 x 792 pts (letter)", 72, expect.closeTo(DESKTOP_SCALE, 2)]);
    const tablet = await measured(CSS, { layout: "tablet" });
    expect(tablet[2]).toBeCloseTo((612 - 144) / (768 * 0.75), 2);
  });

  test.each(["100000in", "1px", "0 0", "calc(1in * 100000)"])("a page of %s is none", async (size) => {
    const path = await print(page(`<style>@page { size: ${size}; margin: 1in }</style>`));
    expect(infoOf(path)["Page size"]).toBe("612 x 792 pts (letter)");
    expect(scaleOf(path)).toBeCloseTo(OWN_SCALE, 2);
  });
});

describe("tags", () => {
  test("as the client asked, with the outline that needs them", async () => {
    const text = "<html lang=de><title>A title</title><h1>First</h1><p>text";
    expect(infoOf(await print(text, { tagged: true })).Tagged).toBe("yes");
    expect(infoOf(await print(text, { tagged: false })).Tagged).toBe("no");
    expect(infoOf(await print(text))).toMatchObject({ Tagged: "no", Title: "A title" });
  });
});
