// Tests that a page is printed in the final state of its scripts and animations: changes without new nodes, animations
// that end, and content that appears on scrolling.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { chromium, openChromium, pages, site } from "../../../../test/support/chromium-site.ts";
import { html, print, startChromium, textOf } from "../../../../test/support/chromiums.ts";

openChromium();

/** Returns the number of pixels per color on a PDF's first page, by the colors' hexadecimal codes. */
function colorsOf(path: string): ReadonlyMap<string, number> {
  const ppm = execFileSync("pdftoppm", ["-r", "72", "-f", "1", "-l", "1", "-aa", "no", path], { maxBuffer: 2 ** 26 });
  const pixels = ppm.subarray(ppm.length - 612 * 792 * 3);
  const counts = new Map<string, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const color = pixels.toString("hex", at, at + 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return counts;
}

/** Returns a script that calls `step` with 1 to 9, every 50 ms. */
const every50Ms = (step: string) =>
  `<script>{ let n = 0; const step = ${step}; const timer = setInterval(() => { step(++n); if (n === 9) clearInterval(timer) }, 50) }</script>`;
/** Returns a script that calls `step` in each frame for half a second, with values from 0 to 1. */
const everyFrame = (step: string) =>
  `<script>{ const start = performance.now(), step = ${step}, ask = window.requestAnimationFrame;
  const next = () => { const part = Math.min(1, (performance.now() - start) / 500); step(part); if (part < 1) ask(next) }; ask(next) }</script>`;

describe("what scripts change", () => {
  test.each([
    [
      "an attribute",
      `<body title=none><style>p::after { content: attr(title) }</style><p id=p>${every50Ms("(n) => { p.title = 'step' + n }")}`,
    ],
    [
      "a class",
      `<style>.c9::after { content: "step9" }</style><p id=p>${every50Ms("(n) => { p.className = 'c' + n }")}`,
    ],
    ["the value of a field", `<input id=i>${every50Ms("(n) => { i.value = 'step' + n }")}`],
    [
      "the choice of a list",
      `<select id=s><option>none${"<option>step".repeat(9)}9</select>${every50Ms("(n) => { s.selectedIndex = n }")}`,
    ],
    [
      "a rule of a style sheet",
      `<style>p::after { content: "none" }</style><p>${every50Ms(`((style) => (n) => { style.content = '"step' + n + '"' })(document.styleSheets[0].cssRules[0].style)`)}`,
    ],
    [
      "the rules of a style sheet",
      `<style></style><p>${every50Ms(`(n) => document.styleSheets[0].insertRule('p::after { content: "step' + n + '" }', n - 1)`)}`,
    ],
    [
      "the style sheets",
      `<p>${every50Ms(`(n) => { const sheet = new CSSStyleSheet(); sheet.replaceSync('p::after { content: "step' + n + '" }'); document.adoptedStyleSheets.push(sheet) }`)}`,
    ],
    [
      "a closed shadow tree",
      `<div id=d></div>${every50Ms("((root) => (n) => { root.textContent = 'step' + n })(d.attachShadow({ mode: 'closed' }))")}`,
    ],
    [
      "a frame of its own",
      `<iframe srcdoc="<input id=i>${every50Ms("(n) => { i.value = 'step' + n }").replaceAll('"', "&quot;")}"></iframe>`,
    ],
    [
      "nothing, until the last frame",
      `<p id=p>none${everyFrame("(part) => { if (part === 1) p.textContent = 'step9' }")}`,
    ],
  ])("%s", async (_, html) => {
    expect(textOf(await print(chromium, html))).toContain("step9");
  });

  test.each([
    ["a canvas", "2d", "(part) => { context.fillStyle = part < 1 ? '#f00' : '#00f'; context.fillRect(0, 0, 99, 99) }"],
    [
      "a canvas in 3D",
      "webgl",
      "(part) => { context.clearColor(part < 1 ? 1 : 0, 0, part < 1 ? 0 : 1, 1); context.clear(context.COLOR_BUFFER_BIT) }",
    ],
  ])("%s", async (_, kind, step) => {
    const context = `<canvas id=c width=99 height=99></canvas><script>const context = c.getContext("${kind}")</script>`;
    const colors = colorsOf(await print(chromium, `${context}${everyFrame(step)}`));
    expect([...colors.keys()]).toContain("0000ff");
  });

  test("a canvas, part by part of one color", async () => {
    const step = "(n) => { if (n === 9) context.fillStyle = '#00f'; context.fillRect(4 * n, 0, n < 9 ? 4 : 150, 20) }";
    const context = `<canvas id=c width=200 height=20></canvas><script>const context = c.getContext("2d")</script>`;
    const colors = colorsOf(await print(chromium, `${context}${every50Ms(step)}`));
    expect([...colors.keys()]).toContain("0000ff");
  });

  test("without end is not waited for: without effect soon, with one until the limit", async () => {
    const endless = (
      step: string,
    ) => `<canvas id=c></canvas><p id=p>text<script>const next = () => { ${step}; requestAnimationFrame(next) }; next()
      setTimeout(() => { document.body.textContent = "too late" }, 9_000)</script>`;
    for (const step of ["", "p.textContent = 'text'", "p.title = 'same'", "c.getContext('2d').fillRect(0, 0, 9, 9)"])
      expect(textOf(await print(chromium, endless(step)))).toContain("text");
    await using patient = await startChromium({ limits: { settleMs: 800 } });
    expect(textOf(await print(patient, endless("p.title = Math.random()")))).toContain("text");
  });

  test("with the answer of a worker", async () => {
    const worker = `<p id=p>none<script>const worker = new Worker(URL.createObjectURL(new Blob(["postMessage(6 * 7)"])));
      worker.onmessage = ({ data }) => { p.textContent = "answer " + data }
      setTimeout(() => { document.body.textContent = "too late" }, 9_000)</script>`;
    expect(textOf(await print(chromium, worker))).toContain("answer 42");
  });
});

describe("motion", () => {
  test("that ends is printed as it ends; that has no end or is paused, as it is", async () => {
    const css = `b { display: block; width: 400px; height: 80px }
      @keyframes appear { from { opacity: 0 } } @keyframes widen { from { width: 0 } } @keyframes hide { to { opacity: 0 } }
      #a { background: #010000; animation: appear 60s }
      #b { background: #020000; animation: appear 2s 60s both }
      #c { background: #030000; animation: appear 1s 4 alternate-reverse both }
      #d { background: #040000; opacity: 0; transition: opacity 60s }
      #f { background: #060000; animation: appear 1s linear both; animation-timeline: view() }
      @media print { #g { background: #070000; animation: appear 2s 1s both } }
      #h { background: #080000; animation: widen 1s linear -0.5s paused both }
      #i { background: #090000; animation: hide 60s 30s infinite }
      #k::before { content: ""; display: block; height: 80px; background: #0b0000; animation: appear 60s both }`;
    const script = `document.body.offsetWidth; d.style.opacity = 1;
      e.animate({ opacity: [0, 1] }, { duration: 60_000, fill: "both" }).finished.then(() => { e.style.background = "#050000" })`;
    const svg = `<svg width=400 height=80><rect width=0 height=80 fill="#0a0000"><animate attributeName=width from=0 to=400 begin=1s dur=60s fill=freeze /></rect></svg>`;
    const blocks = "a b c d e f g h i k".replaceAll(/\w/g, "<b id=$&></b>");
    const colors = colorsOf(await print(chromium, `<style>${css}</style>${blocks}${svg}<script>${script}</script>`));
    const pixels = (color: string) => colors.get(`${color}0000`) ?? 0;
    const whole = pixels("09");
    expect(whole).toBeGreaterThan(0);
    for (const color of ["01", "02", "03", "04", "05", "06", "07", "0a", "0b"]) {
      expect(pixels(color) / whole, color).toBeGreaterThan(0.9);
    }
    expect(pixels("08") / whole).toBeCloseTo(0.5, 1);
  });

  test("in a closed shadow tree", async () => {
    const css = `p { width: 99px; height: 99px; background: #00f; animation: appear 60s both } @keyframes appear { from { opacity: 0 } }`;
    const script = `d.attachShadow({ mode: "closed" }).innerHTML = "<style>${css}</style><p></p>"`;
    const colors = colorsOf(await print(chromium, `<div id=d></div><script>${script}</script>`));
    expect([...colors.keys()]).toContain("0000ff");
  });

  test("of a page without scripts", async () => {
    const css = `p { width: 99px; height: 99px; background: #00f; animation: appear 60s both } @keyframes appear { from { opacity: 0 } }`;
    const page = { ...html(`<style>${css}</style><p>`), isStill: true };
    expect([...colorsOf(await print(chromium, page)).keys()]).toContain("0000ff");
  });
});

test("what appears when it is scrolled to stays", async () => {
  const far = `<div style="height: 3000px"></div>`;
  const scripts = `<script>
    new IntersectionObserver(([entry]) => { s.textContent = entry.isIntersecting ? "seen" : "unseen" }).observe(s);
    let timer; document.addEventListener("scroll", () => { timer ??= setTimeout(() => { timer = undefined;
      t.textContent = t.getBoundingClientRect().top < innerHeight ? "reached" : "left" }, 90) })</script>`;
  const text = textOf(await print(chromium, `${far}<p id=s>none</p><p id=t>none</p>${far}${scripts}`));
  expect(text.match(/\w+/g)).toEqual(["seen", "reached"]);
});

test("a picture may have another source for paper", async () => {
  const dot = (color: string) =>
    `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="${color}"/></svg>`)}`;
  const picture = `<picture><source media=print srcset="${dot("#00f")}"><img src="${dot("#f00")}"></picture>`;
  for (const isStill of [true, false]) {
    const colors = colorsOf(await print(chromium, { ...html(picture), isStill }));
    expect([...colors.keys()], String(isStill)).toContain("0000ff");
  }
});

test("an uploaded document has a secure context, and may still load pictures of the open web", async () => {
  pages.set("/dot.svg", (_, response) => {
    const dot = `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><rect width="50" height="50" fill="#00f"/></svg>`;
    response.setHeader("Content-Type", "image/svg+xml").end(dot);
  });
  const path = await print(
    chromium,
    `<p id=p><img src="${site.url}/dot.svg"><script>crypto.subtle.digest("SHA-256", new Uint8Array()).then(({ byteLength }) => {
      p.append([isSecureContext, crypto.randomUUID().length, byteLength].join()) })</script>`,
  );
  expect(textOf(path)).toContain("true,36,32");
  expect([...colorsOf(path).keys()]).toContain("0000ff");
});
