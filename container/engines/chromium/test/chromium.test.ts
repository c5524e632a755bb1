// Tests Chromium's PDF of a page: paper, margins, the emulated device, loaded resources, and structure.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRef, PDFString } from "pdf-lib";
import { beforeAll, describe, expect, test } from "vitest";
import { chromium, openChromium, pages, show, site } from "../../../../test/support/chromium-site.ts";
import { html, infoOf, LETTER, print, startChromium, textOf, wordsOf } from "../../../../test/support/chromiums.ts";
import { eventually } from "../../../../test/support/eventually.ts";

openChromium();

/** A page with a text at each edge, at the top. */
const EDGES = `<!doctype html><style>body { margin: 0; font-size: 20px } p { margin: 0 } p + p { text-align: right }</style><p>left<p>right`;
const CSS_PIXEL = 72 / 96;

describe("paper", () => {
  test.each([
    ["letter", 612, 792, 72],
    ["legal", 612, 1008, 72],
    ["ledger, landscape", 1224, 792, 36],
    ["A3", 841.89, 1190.55, 28.35],
    ["A4, landscape", 841.89, 595.28, 20],
    ["A5, without a margin", 419.53, 595.28, 0],
    ["letter, almost all of it margin", 612, 792, 290],
  ])("%s", async (_, width, height, margin) => {
    const path = await print(chromium, EDGES, { paper: { width, height }, margin });
    const [, w, h] = /([\d.]+) x ([\d.]+) pts/.exec(infoOf(path)["Page size"]!)!;
    // 0.6 points are a fifth of a millimeter, which rounding to whole points can cause.
    expect(Math.abs(Number(w) - width)).toBeLessThan(0.6);
    expect(Math.abs(Number(h) - height)).toBeLessThan(0.6);
    const [left, right] = wordsOf(path);
    expect(Math.abs(left!.left - margin)).toBeLessThan(1.5);
    expect(Math.abs(width - right!.right - margin)).toBeLessThan(1.5);
    expect(left!.top - margin).toBeLessThan(8);
    expect(infoOf(path).Pages).toBe("1");
  });

  test.each([
    ["a size", "@page { size: A5 }"],
    ["a margin", "@page { margin: 0 }"],
    ["an orientation", "@page { size: landscape; page-orientation: rotate-left }"],
    ["importance", "@page { size: A5 !important; margin: 0 !important }"],
    ["a page of its own", "@page { size: A5 } @page :first { margin: 3in !important }"],
    ["a named page", "@page wide { size: 20in 9in !important; margin: 1mm !important } p { page: wide }"],
    [
      "all of it in a condition and a layer",
      "@media print { @layer a { @supports (color: red) { @page wide { size: A5 !important } p { page: wide } } } }",
    ],
  ])("%s that the document asks for is not what the client asked for", async (_, css) => {
    const plain = wordsOf(await print(chromium, EDGES));
    const path = await print(chromium, EDGES.replace("<style>", `<style>${css}`));
    expect(infoOf(path)["Page size"]).toBe("612 x 792 pts (letter)");
    expect(wordsOf(path)).toEqual(plain);
  });

  test("nor what a style sheet of another origin asks for", async () => {
    pages.set("/page.css", show("@page { size: A5; margin: 0 }", "text/css"));
    const path = await print(chromium, `${EDGES}<link rel=stylesheet href="${site.url}/page.css">`);
    expect(wordsOf(path)).toEqual(wordsOf(await print(chromium, EDGES)));
  });

  test("what else the document says of its pages stands", async () => {
    const css = `@page { @bottom-center { content: "page " counter(page) } } p + p { break-before: page }`;
    const path = await print(chromium, EDGES.replace("<style>", `<style>${css}`));
    expect(infoOf(path).Pages).toBe("2");
    expect(textOf(path)).toMatch(/left.*page 1.*right.*page 2/s);
  });

  test("backgrounds are printed", async () => {
    const path = await print(chromium, "<body style='background: #f00'>red", { margin: 0 });
    const ppm = execFileSync("pdftoppm", ["-r", "10", path], { maxBuffer: 2 ** 26 });
    expect([...ppm.subarray(-3)]).toEqual([255, 0, 0]);
  });
});

/** A page that prints in words what it can detect about its environment. */
const DEVICE_PAGE = `<!doctype html><meta name=viewport content="width=device-width">
<style>
  body { margin: 0; font: 20px monospace } span { display: none }
  @media (max-width: 500px) { .narrow { display: inline } }
  @media (min-width: 501px) and (max-width: 1000px) { .medium { display: inline } }
  @media (min-width: 1001px) { .wide { display: inline } }
  @media (hover: none) and (pointer: coarse) { .fingers { display: inline } }
  @media (hover: hover) and (pointer: fine) { .mouse { display: inline } }
</style>
<p><span class=narrow>narrow</span><span class=medium>medium</span><span class=wide>wide</span>
<p><span class=fingers>fingers</span><span class=mouse>mouse</span>
<p id=facts><div style="width: 100%; text-align: right">edge</div>
<script>facts.textContent = [innerWidth, screen.width, navigator.maxTouchPoints, "ontouchstart" in window, devicePixelRatio,
  matchMedia("(pointer: coarse)").matches, /Mobile/.test(navigator.userAgent), /Android/.test(navigator.userAgent),
  navigator.userAgentData?.mobile, /Headless/.test(navigator.userAgent)].join(" ")</script>`;

describe("web_layout", () => {
  test.each([
    ["desktop", 1280, "wide", "mouse", "1280 1280 0 false 1 false false false"],
    ["tablet", 768, "medium", "fingers", "768 768 5 true 2 true false true"],
    ["mobile", 390, "narrow", "fingers", "390 390 5 true 3 true true true"],
  ] as const)("%s: %i CSS pixels wide, on screen and on paper", async (layout, width, size, pointer, facts) => {
    const path = await print(chromium, DEVICE_PAGE, { layout });
    const words = wordsOf(path);
    const [text] = [textOf(path).replace(/\s+/g, " ")];
    expect(text).toContain(`${size} ${pointer} ${facts}`);
    expect(text).toMatch(/false edge/);
    // The width of a monospaced character of 20 CSS pixels shows the scale.
    const edge = words.find((word) => word.text === "edge")!;
    const scale = (LETTER.width - 144) / (width * CSS_PIXEL);
    expect((edge.right - edge.left) / (4 * 20 * 0.6 * CSS_PIXEL)).toBeCloseTo(scale, 1);
    expect(Math.abs(edge.right - (LETTER.width - 72))).toBeLessThan(2);
  });

  test("a page that knows no small screens is as wide as the layout too", async () => {
    const path = await print(chromium, EDGES, { layout: "mobile" });
    const [left, right] = wordsOf(path);
    expect(Math.abs(left!.left - 72)).toBeLessThan(2);
    expect(Math.abs(right!.right - (LETTER.width - 72))).toBeLessThan(2);
  });

  test.each([
    ["mobile", { width: 1190.55, height: 841.89 }, 28, 390],
    ["mobile", { width: 841.89, height: 1190.55 }, 0, 390],
    ["tablet", { width: 1224, height: 792 }, 0, 768],
    ["desktop", { width: 419.53, height: 595.28 }, 190, 1280],
  ] as const)("%s on paper of %o with margins of %i: still that wide", async (layout, paper, margin, width) => {
    const page = DEVICE_PAGE.replace("edge", "<span id=w style='display:inline'></span>edge");
    const path = await print(chromium, page, { layout, paper, margin });
    const edge = wordsOf(path).find((word) => word.text === "edge")!;
    const scale = (paper.width - 2 * margin) / (width * CSS_PIXEL);
    expect((edge.right - edge.left) / (4 * 20 * 0.6 * CSS_PIXEL) / scale).toBeCloseTo(1, 1);
    expect(Math.abs(edge.right - (paper.width - margin))).toBeLessThan(3);
  });
});

test("content that is wider than the layout is fitted to the paper, unless readers cannot reach it", async () => {
  const wide = (width: string, css = "") =>
    `<!doctype html><style>body { margin: 0 } p { width: ${width}; text-align: right } ${css}</style><span>start</span><p>end`;
  for (const [text, layout] of [
    [wide("2600px"), "desktop"],
    [wide("5000px"), "desktop"],
    [wide("1000px").replace("<style>", "<meta name=viewport content='width=device-width'><style>"), "mobile"],
    [wide("2600px").replace("<!doctype html>", ""), "desktop"],
  ] as const) {
    const [, end] = wordsOf(await print(chromium, text, { layout }));
    expect(Math.abs(end!.right - (LETTER.width - 72)), text).toBeLessThan(3);
  }
  const usual = wordsOf(await print(chromium, wide("100%")))[0]!;
  for (const css of ["body { overflow-x: hidden }", "html { overflow-x: clip }", "p { width: 20000px }"]) {
    const [start] = wordsOf(await print(chromium, wide("2600px", css)));
    expect((start!.right - start!.left) / (usual.right - usual.left), css).toBeGreaterThan(0.6);
  }
});

test("pages that are enlarged keep their links where they were", async () => {
  const text = `<!doctype html><style>body { margin: 0 }</style><a href="#there">there</a> <a href="https://example.com/">out</a><h1 style="break-before: page; margin: 0" id=there>end</h1>`;
  const paper = { width: 1190.55, height: 841.89 };
  const path = await print(chromium, text, { layout: "mobile", paper, margin: 72 });
  execFileSync("qpdf", ["--check", path]);
  const pdf = await PDFDocument.load(readFileSync(path), { updateMetadata: false });
  const boxes = wordsOf(path);
  const annotations = pdf
    .getPage(0)
    .node.Annots()!
    .asArray()
    .map((ref) => pdf.context.lookup(ref, PDFDict));
  for (const [index, annotation] of annotations.entries()) {
    const rectangle = annotation.lookup(PDFName.of("Rect"), PDFArray).asRectangle();
    expect(Math.abs(rectangle.x - boxes[index]!.left)).toBeLessThan(3);
    expect(Math.abs(rectangle.x + rectangle.width - boxes[index]!.right)).toBeLessThan(3);
  }
  const [target] = pdf.catalog.lookup(PDFName.of("Dests"), PDFDict).values();
  const top = Number(pdf.context.lookup(target, PDFArray).get(3)!.toString());
  // Chromium places a link target one margin above its element.
  expect(Math.abs(paper.height - top)).toBeLessThan(2);
});

describe("what of a page is kept", () => {
  const PAGE = `<!doctype html><html lang=de><title>Größe &amp; Maß</title><h1>Erstes</h1><p><a href="#there">inside</a>
    <a href="https://example.com/a?b=c#d">outside</a> <a href="mailto:a@example.com">mail</a>
    <h2>Zweites</h2><p style="break-before: page" id=there>there`;
  let path: string;
  let pdf: PDFDocument;
  beforeAll(async () => {
    path = await print(chromium, PAGE, { tagged: true });
    pdf = await PDFDocument.load(readFileSync(path), { updateMetadata: false });
  });

  test("title, and where it is tagged its outline", () => {
    expect(infoOf(path).Title).toBe("Größe & Maß");
    const outline = execFileSync("mutool", ["show", path, "outline"], { encoding: "utf8" });
    expect(outline).toMatch(/Erstes.*Zweites/s);
  });

  test("links to places in the page, and to others", () => {
    const annotations = pdf
      .getPage(0)
      .node.Annots()!
      .asArray()
      .map((ref) => pdf.context.lookup(ref, PDFDict));
    const targets = annotations.map((annotation) => {
      const action = annotation.lookupMaybe(PDFName.of("A"), PDFDict);
      const address = action?.lookupMaybe(PDFName.of("URI"), PDFString);
      return address?.asString() ?? String(annotation.get(PDFName.of("Dest")));
    });
    expect(targets).toContain("https://example.com/a?b=c#d");
    expect(targets).toContain("mailto:a@example.com");
    expect(targets.filter((target) => !target.includes(":"))).toHaveLength(1);
    expect(JSON.stringify(targets)).not.toContain("document.localhost");
  });

  test("fonts are embedded, and text is text", async () => {
    const text = "Latin Ελληνικά Кириллица עברית العربية हिन्दी ไทย 中文 日本語 한국어 ☃";
    const made = await print(chromium, `<meta charset=utf-8><p>${text}`);
    const fonts = execFileSync("pdffonts", [made], { encoding: "utf8" }).trim().split("\n").slice(2);
    expect(fonts.length).toBeGreaterThan(4);
    for (const font of fonts) expect(font).toMatch(/yes (yes|no ) (yes|no )\s+\d+\s+\d+$/);
    for (const word of ["Latin", "Ελληνικά", "Кириллица", "中文", "日本語", "한국어"])
      expect(textOf(made)).toContain(word);
  });

  test("links to a document's neighbors stay relative", async () => {
    const made = await print(
      chromium,
      `<a href="other.html">other</a> <a href="a/b?c#d">below</a> <a href="">self</a>`,
    );
    const bytes = readFileSync(made).toString("latin1");
    const addresses = [...bytes.matchAll(/URI \((.*?)\)/g)].map(([, address]) => address!.replace(/^(\.\/)+/, ""));
    expect(addresses).toEqual(["other.html", "a/b?c#d", ""]);
    expect(bytes).not.toContain("document.localhost");
    execFileSync("qpdf", ["--check", made]);
  });

  test("a page without a title has none of the service's", async () => {
    const made = await print(chromium, "<p>no title");
    expect(infoOf(made).Title ?? "").not.toContain("invalid");
    expect(readFileSync(made).toString("latin1")).not.toContain("document.localhost");
  });

  test("a reference from an outline or a link is one to a page of the file", () => {
    const dests = pdf.catalog.lookupMaybe(PDFName.of("Dests"), PDFDict);
    for (const [, value] of dests?.entries() ?? []) {
      const [page] = pdf.context.lookup(value, PDFArray).asArray();
      expect(page).toBeInstanceOf(PDFRef);
    }
  });
});

describe("encodings", () => {
  test.each([
    ["UTF-8 with a label", Buffer.from("<meta charset=utf-8>Grüße"), undefined],
    ["Latin-1 with a label", Buffer.from("<meta charset=iso-8859-1>Gr\xfc\xdfe", "latin1"), undefined],
    [
      "Shift JIS with a label",
      Buffer.concat([
        Buffer.from("<meta charset=shift_jis>Grüße".replace("Grüße", "")),
        Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      ]),
      "日本",
    ],
    ["UTF-8 with a mark", Buffer.from("\ufeff<p>Grüße"), undefined],
    ["UTF-16 with a mark", Buffer.from("\ufeff<p>Grüße", "utf16le"), undefined],
    [
      "a label in the header's own words",
      Buffer.from(
        `<meta http-equiv=content-type content="text/html; charset=windows-1251">\xcf\xf0\xe8\xe2\xe5\xf2`,
        "latin1",
      ),
      "Привет",
    ],
  ])("%s", async (_, bytes, expected = "Grüße") => {
    expect(textOf(await print(chromium, html(bytes, "text/html")))).toContain(expected);
  });

  test("XHTML is read as XML", async () => {
    const xhtml = `<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><div/>Gr\xfc\xdfe<script/>&#x2603;</body></html>`;
    const path = await print(chromium, html(Buffer.from(xhtml, "latin1"), "application/xhtml+xml"));
    expect(textOf(path)).toContain("Grüße");
  });
});

describe("what is waited for", () => {
  const slow = (ms: number, body: string, type: string) => (_: IncomingMessage, response: ServerResponse) => {
    setTimeout(() => response.setHeader("Content-Type", type).end(body), ms);
  };
  const PIXEL = Buffer.from("R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==", "base64");
  const picture = (ms: number) => (_: IncomingMessage, response: ServerResponse) => {
    setTimeout(() => response.setHeader("Content-Type", "image/gif").end(PIXEL), ms);
  };
  const images = (path: string) =>
    execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }).trim().split("\n").length - 2;

  beforeAll(() => {
    pages.set("/late.gif", picture(700));
    pages.set("/late.json", slow(600, '"fetched"', "application/json"));
    pages.set("/late.js", slow(600, 'document.body.append("script")', "text/javascript"));
    pages.set("/late.css", slow(600, "body::after { content: 'styled' }", "text/css"));
  });

  test("scripts, styles and pictures that are late", async () => {
    const path = await print(
      chromium,
      `<link rel=stylesheet href="${site.url}/late.css"><body><script src="${site.url}/late.js"></script><img width=9 height=9 src="${site.url}/late.gif">`,
    );
    expect(textOf(path)).toMatch(/script.*styled/s);
    expect(images(path)).toBe(1);
  });

  test("what a script fetches, and what it makes of it", async () => {
    pages.set(
      "/app",
      show(
        `<body>app <script>fetch("/late.json").then((r) => r.json()).then((t) => setTimeout(() => document.body.append(t, " then"), 200))</script>`,
      ),
    );
    expect(textOf(await print(chromium, { url: `${site.url}/app` }))).toContain("fetched then");
  });

  test("what a script draws in steps", async () => {
    const path = await print(
      chromium,
      `<body><script>let n = 0; const t = setInterval(() => { document.body.append(" step" + ++n); if (n === 9) clearInterval(t) }, 50)</script>`,
    );
    expect(textOf(path)).toContain("step9");
  });

  test("a page that was taken for a still one, and is none", async () => {
    const still = (text: string) => ({ ...html(text), isStill: true });
    const frames = `<p id=p>none<script>let n = 0; const next = () => { p.textContent = "frame" + ++n; if (n < 9) requestAnimationFrame(next) }; next()</script>`;
    // A page counts as settled after 100 ms without a change. On a busy machine, a frame can take longer.
    await eventually(async () => expect(textOf(await print(chromium, still(frames)))).toContain("frame9"));
    // On a slow machine, the page can still be hidden when its timer ends.
    const gone = `<p id=p>none<script>document.currentScript.remove(); const tell = () => { p.textContent = document.visibilityState };
      setTimeout(() => { if (document.hidden) addEventListener("visibilitychange", tell); else tell() }, 60)</script>`;
    await eventually(async () => expect(textOf(await print(chromium, still(gone)))).toContain("visible"));
    const lazy = `<div style="height: 20000px"></div><img loading=lazy width=9 height=9 src="${site.url}/late.gif?4">`;
    expect(images(await print(chromium, still(lazy)))).toBe(1);
  });

  test("pictures that are loaded when they are seen, by the browser or by a script", async () => {
    pages.set(
      "/seen",
      show(`<div style="height: 20000px"></div><img loading=lazy width=9 height=9 src="/late.gif?1"><div style="height: 9000px"></div><img id=i width=9 height=9>
      <script>new IntersectionObserver(([e]) => { if (e.isIntersecting) i.src = "/late.gif?2" }).observe(i)</script>`),
    );
    expect(images(await print(chromium, { url: `${site.url}/seen` }))).toBe(2);
    pages.set(
      "/scrolled",
      show(`<div style="height: 9000px"></div><img id=i width=9 height=9>
      <script>addEventListener("scroll", () => { if (scrollY > 7000) i.src = "/late.gif?3" })</script>`),
    );
    expect(images(await print(chromium, { url: `${site.url}/scrolled` }))).toBe(1);
  });

  test("fonts of the page, those for paper too, and under the name of a font that is replaced", async () => {
    const font = readFileSync("/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf");
    for (const name of ["/one.ttf", "/two.ttf"]) {
      pages.set(name, (_, response) => {
        setTimeout(() => response.setHeader("Access-Control-Allow-Origin", "*").end(font), 500);
      });
    }
    const path = await print(
      chromium,
      `<style>@font-face { font-family: one; src: url(${site.url}/one.ttf) } @font-face { font-family: Cambria; src: url(${site.url}/two.ttf) }
      p { font-family: one } @media print { b { font-family: Cambria; font-weight: 400 } }</style><p>one</p><b>two</b>`,
    );
    const fonts = execFileSync("pdffonts", [path], { encoding: "utf8" });
    expect(fonts.match(/DejaVuSerif-Bold/g)).toHaveLength(2);
  });

  test("a page that sends its reader on", async () => {
    pages.set("/end", show("<p>the end"));
    pages.set("/refresh", show(`<meta http-equiv=refresh content="1;url=/end"><p>wait`));
    pages.set("/script", show(`<script>setTimeout(() => { location = "/end" }, 0)</script>`));
    for (const from of ["/refresh", "/script"]) {
      expect(textOf(await print(chromium, { url: `${site.url}${from}` })), from).toContain("the end");
    }
  });

  test("a picture that never comes is left out", async () => {
    pages.set("/never", () => {});
    const patient = await startChromium({ web: { allow: `127.0.0.1:${site.port}` }, limits: { settleMs: 800 } });
    try {
      expect(textOf(await print(patient, `<p>text<img src="${site.url}/never">`))).toContain("text");
      expect(textOf(await print(patient, `<p>text<script>fetch("${site.url}/never")</script>`))).toContain("text");
    } finally {
      await patient.close();
    }
  });
});
