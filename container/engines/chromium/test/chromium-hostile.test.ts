// Tests hostile pages, servers that never finish, and processes that are killed or stopped. Each case ends with a clear
// error, does not affect concurrent or later jobs, and leaves no processes or files behind.
import { mkdir, readdir } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  chromium,
  nothingIsLeft,
  openChromium,
  pages,
  STRICT,
  site,
  strictSettings,
  works,
} from "../../../../test/support/chromium-site.ts";
import { print, reasonOf, scratch, startChromium } from "../../../../test/support/chromiums.ts";
import { processTree, survivors } from "../../../../test/support/processes.ts";
import type { Chromium, PageSource } from "../chromium.ts";

openChromium(strictSettings);

const PATIENT = { ...STRICT, parseMs: 100_000, answerMs: 100_000, printMs: 100_000 };
/** A browser with long limits, for pages that end by themselves: a slow machine can take long for them. */
let patient: Chromium;
beforeAll(async () => {
  patient = await startChromium({ ...strictSettings(site.port), limits: PATIENT });
});
afterAll(() => patient?.close());

/** Prints in the browser whose limits fit the expectation, and returns how the job ended. */
const outcomeOf = (source: PageSource | string, expected: readonly string[]) =>
  reasonOf(print(expected.includes("timed-out") ? chromium : patient, source));

async function bothWork(): Promise<void> {
  await works();
  await works(patient);
}

describe("a hostile page", () => {
  afterEach(async () => {
    await bothWork();
    await nothingIsLeft();
    await nothingIsLeft(patient);
  });

  const script = (code: string) => `<!doctype html><p>before<script>${code}</script>`;
  test.each([
    ["a loop", script("for (;;);"), ["timed-out"]],
    ["a loop once it is loaded", script("onload = () => setTimeout(() => { for (;;); })"), ["timed-out"]],
    ["a loop before it is printed", script("onbeforeprint = () => { for (;;); }"), ["timed-out"]],
    ["a loop of promises", script("(function f() { Promise.resolve().then(f) })()"), ["timed-out"]],
    ["a loop of timers", script("(function f() { setTimeout(f); document.title += 1 })()"), ["pages"]],
    ["a loop of frames", script("(function f() { requestAnimationFrame(f); document.body.append(1) })()"), ["pages"]],
    ["an expression that never ends", script(`/^(a+)+$/.test("a".repeat(50) + "b")`), ["timed-out"]],
    [
      "an array of all memory",
      script("const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()))"),
      ["too-large", "too-complex"],
    ],
    [
      "an array of 1e9",
      script("const a = new Array(1e9).fill(0).map(Math.random)"),
      ["too-large", "too-complex", "timed-out", "pages"],
    ],
    [
      "buffers of all memory",
      script("const a = []; for (;;) a.push(new Uint8Array(1e8).fill(1))"),
      ["too-large", "too-complex", "pages", "timed-out"],
    ],
    [
      "text that doubles",
      script("let s = 'x'; for (;;) { s += s; document.title = s }"),
      ["too-large", "too-complex", "pages", "timed-out"],
    ],
    [
      "a million elements",
      script("document.write('<b>x</b> '.repeat(1e6))"),
      ["timed-out", "too-large", "too-complex"],
    ],
    ["elements without end", script("for (;;) document.write('<p>x')"), ["timed-out", "too-large", "too-complex"]],
    ["a document written by timers", script("setInterval(() => document.write('<p>x'), 0)"), ["pages", "timed-out"]],
    ["elements in each other, 200,000 deep", "<div>".repeat(200_000), ["pages", "too-complex", "timed-out"]],
    ["questions without end", script("for (;;) alert(1)"), ["timed-out"]],
    [
      "questions of its frames without end",
      `<iframe srcdoc="<script>for (;;) confirm(1)</script>"></iframe>`,
      ["timed-out"],
    ],
    [
      "it will not be left",
      script("onbeforeunload = () => 1; location = 'about:blank'; location.reload()"),
      ["pages", "unreachable"],
    ],
    ["it prints without end", script("setInterval(print, 0); print()"), ["pages"]],
    [
      "windows without end",
      script("for (let i = 0; i < 500; i++) open('about:blank', i); setInterval(() => open(location), 0)"),
      ["pages"],
    ],
    [
      "workers without end",
      script("setInterval(() => new Worker(URL.createObjectURL(new Blob(['for(;;);']))), 0)"),
      ["pages", "too-large", "too-complex", "timed-out"],
    ],
    [
      "frames in frames",
      script(
        "document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: " +
          "document.documentElement.outerHTML }))",
      ),
      ["pages", "timed-out"],
    ],
    [
      "frames without end",
      script("setInterval(() => document.body.append(document.createElement('iframe')), 0)"),
      ["pages", "timed-out", "too-large"],
    ],
    ["reloads itself without end", script("location.reload()"), ["unreachable", "timed-out"]],
    ["a fragment without end", script("setInterval(() => { location.hash = Math.random() }, 0)"), ["pages"]],
    [
      "history without end",
      script("for (let i = 0; ; i++) history.pushState(0, '', '?' + i)"),
      ["timed-out", "pages", "too-complex"],
    ],
    [
      "a large canvas",
      `<canvas id=c width=32767 height=32767></canvas><script>c.getContext("2d").fillRect(0, 0, 32767, 32767)</script>`,
      ["pages", "too-large", "too-complex", "timed-out"],
    ],
    ["100,000 pixels tall", `<div style="height: 100000px">x</div>`, ["pages"]],
    ["1e9 pixels tall", `<div style="height: 1000000000px">x</div>`, ["timed-out", "too-large", "too-complex"]],
    ["1e9 pixels wide", `<div style="width: 1000000000px">x</div>`, ["pages"]],
    [
      "a table of 10,000 columns each way",
      `<table><tr>${"<td colspan=1000>x".repeat(1000)}</table>`,
      ["pages", "timed-out", "too-complex"],
    ],
    [
      "a filter of 1e6",
      `<div style="filter: blur(1000000px); width: 1e6px; height: 1000px; background: red">x</div>`,
      ["pages", "too-large", "too-complex", "timed-out"],
    ],
    [
      "an SVG that multiplies",
      `<svg>${Array.from({ length: 12 }, (_, n) => `<g id=g${n}>${n ? `<use href=#g${n - 1} />`.repeat(10) : "<path d='M0 0h1' />"}</g>`).join("")}<use href=#g11 /></svg>`,
      ["timed-out", "too-large", "too-complex"],
    ],
    [
      "a download",
      script("location = URL.createObjectURL(new Blob(['x'], { type: 'application/zip' }))"),
      ["pages", "not-a-web-page", "unreachable"],
    ],
    ["a download by a link", `<a id=a download href="data:,x">x</a><script>a.click()</script>`, ["pages"]],
    ["it closes itself", script("close(); window.top.close()"), ["pages", "crashed"]],
    ["it crashes its renderer", script("location = 'chrome://crash'"), ["pages", "unreachable"]],
  ])("%s", { timeout: 120_000 }, async (_, page, expected) => {
    expect((await outcomeOf(page, expected)).replace(/^\d+ /, "")).toBeOneOf(expected);
  });
});

describe("a hostile server", () => {
  const send =
    (headers: Record<string, string>, body: string | Buffer, status = 200) =>
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(status, headers).end(body);
  const HTML = { "Content-Type": "text/html" };

  beforeAll(() => {
    for (const status of [400, 401, 403, 404, 410, 500, 502, 503])
      pages.set(`/${status}`, send(HTML, "<p>page", status));
    pages.set("/pdf", send({ "Content-Type": "application/pdf" }, "%PDF-1.4"));
    pages.set("/png", send({ "Content-Type": "image/png" }, "\x89PNG"));
    pages.set("/svg", send({ "Content-Type": "image/svg+xml" }, "<svg xmlns='http://www.w3.org/2000/svg'/>"));
    pages.set("/text", send({ "Content-Type": "text/plain" }, "text"));
    pages.set("/json", send({ "Content-Type": "application/json" }, "{}"));
    pages.set("/xml", send({ "Content-Type": "application/xml" }, "<a/>"));
    pages.set("/zip", send({ "Content-Type": "application/zip" }, "PK"));
    pages.set("/attached", send({ ...HTML, "Content-Disposition": "attachment" }, "<p>page"));
    pages.set("/attached-zip", send({ "Content-Type": "application/zip", "Content-Disposition": "attachment" }, "PK"));
    pages.set("/unknown", send({ "Content-Type": "application/octet-stream" }, "x"));
    pages.set("/none", send({}, "", 204));
    pages.set("/empty", send(HTML, ""));
    pages.set("/untyped", send({}, "<!doctype html><p>page"));
    pages.set("/circle", (_, response) => void response.writeHead(302, { Location: "/circle" }).end());
    pages.set("/spiral", (request, response) => {
      const round = Number(new URL(request.url!, site.url).search.slice(1)) + 1;
      response.writeHead(307, { Location: `/spiral?${round}` }).end();
    });
    pages.set("/refresh", send(HTML, `<meta http-equiv=refresh content="0;url=/refresh">`));
    pages.set("/silent", () => {});
    pages.set("/reset", (request) => request.socket.resetAndDestroy());
    pages.set("/endless", (_, response) => {
      response.writeHead(200, HTML);
      const timer = setInterval(() => response.write("<p>more"), 20);
      response.on("close", () => clearInterval(timer));
    });
    pages.set("/flood", (_, response) => {
      response.writeHead(200, HTML);
      const more = () => {
        while (response.write("x".repeat(1e6)) && !response.destroyed);
      };
      response.on("drain", more);
      more();
    });
    pages.set("/download", (_, response) => {
      response.writeHead(200, { "Content-Type": "application/octet-stream" });
      const timer = setInterval(() => response.write("more"), 20);
      response.on("close", () => clearInterval(timer));
    });
    pages.set("/bomb", send({ ...HTML, "Content-Encoding": "gzip" }, Buffer.from("H4sIAAAAAAAAAw==", "base64")));
    pages.set("/short", (_, response) => {
      response.writeHead(200, { ...HTML, "Content-Length": "1000" }).write("<p>part");
      setTimeout(() => response.destroy(), 50);
    });
    pages.set("/to-file", send({ Location: "file:///etc/passwd" }, "", 302));
    pages.set("/to-data", send({ Location: "data:text/html,x" }, "", 302));
    pages.set("/later-404", send(HTML, `<script>location = "/404"</script>`));
    pages.set("/later-dead", send(HTML, `<script>location = "http://127.0.0.2:65000/"</script>`));
    pages.set("/later-pdf", send(HTML, `<script>location = "/pdf"</script>`));
    pages.set("/later-attached", send(HTML, `<p>page<script>location = "/attached-zip"</script>`));
    pages.set("/clicks-zip", send(HTML, `<p>page<a id=a href="/zip">file</a><script>a.click()</script>`));
    pages.set("/saves-zip", send(HTML, `<p>page<a id=a download href="/zip">file</a><script>a.click()</script>`));
    pages.set("/clicks-page", send(HTML, `<a id=a href="/empty">page</a><script>a.click()</script>`));
    pages.set("/later-private", send(HTML, `<script>location = "http://10.0.0.1/"</script>`));
  });
  afterEach(bothWork);

  test.each([
    ["/400", "unreachable"],
    ["/401", "unreachable"],
    ["/403", "unreachable"],
    ["/404", "unreachable"],
    ["/410", "unreachable"],
    ["/500", "unreachable"],
    ["/502", "unreachable"],
    ["/503", "unreachable"],
    ["/pdf", "not-a-web-page"],
    ["/png", "not-a-web-page"],
    ["/svg", "not-a-web-page"],
    ["/text", "not-a-web-page"],
    ["/json", "not-a-web-page"],
    ["/xml", "not-a-web-page"],
    ["/zip", "not-a-web-page"],
    ["/attached", "not-a-web-page"],
    ["/unknown", "not-a-web-page"],
    ["/download", "not-a-web-page"],
    ["/none", "not-a-web-page"],
    ["/empty", "1 pages"],
    ["/untyped", "1 pages"],
    ["/circle", "unreachable"],
    ["/spiral", "unreachable"],
    ["/silent", "timed-out"],
    ["/reset", "unreachable"],
    ["/endless", "timed-out"],
    ["/flood", "too-large"],
    ["/short", "unreachable"],
    ["/bomb", "1 pages"],
    ["/to-file", "unreachable"],
    ["/to-data", "unreachable"],
    ["/later-404", "unreachable"],
    ["/later-dead", "unreachable"],
    ["/later-pdf", "not-a-web-page"],
    ["/later-attached", "1 pages"],
    ["/clicks-zip", "1 pages"],
    ["/saves-zip", "1 pages"],
    ["/clicks-page", "1 pages"],
    ["/later-private", "url"],
  ])("%s: %s", { timeout: 120_000 }, async (path, expected) => {
    expect(await outcomeOf({ url: `${site.url}${path}` }, [expected])).toBe(expected);
  });

  test("/refresh: unreachable, once it was followed often enough", async () => {
    const limits = { ...PATIENT, settleMs: 60_000 };
    await using following = await startChromium({ ...strictSettings(site.port), limits, ready: 1 });
    expect(await reasonOf(print(following, { url: `${site.url}/refresh` }))).toBe("unreachable");
  });

  test("nobody at the port, no such name, no TLS, a port of another protocol", async () => {
    const server = createTcpServer((socket) => socket.end("no TLS here, but 42")).listen(0, "127.0.0.2");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    try {
      const reasons = [
        `http://127.0.0.2:${port}/`,
        `https://127.0.0.2:${port}/`,
        "http://127.0.0.2:8/",
        "http://no.such.name.public.net/",
      ];
      for (const url of reasons) expect(await outcomeOf({ url }, []), url).toBe("unreachable");
      for (const url of ["http://public.net:25/", "http://127.0.0.1:1/"]) {
        expect(await outcomeOf({ url }, []), url).toBe("url");
      }
    } finally {
      server.close();
    }
  });
});

test("closed, it leaves no process and no file", async () => {
  const folders = async () => (await readdir(scratch.path)).filter((name) => name.startsWith("chromium-"));
  const before = await folders();
  const own = await startChromium(strictSettings(site.port));
  const begun = Promise.withResolvers<void>();
  pages.set("/loop", (_, response) => {
    begun.resolve();
    response.setHeader("Content-Type", "text/javascript").end("for (;;);");
  });
  const printed = print(own, `<script src="${site.url}/loop"></script>`);
  printed.catch(() => {});
  await begun.promise;
  const tree = processTree(own.pid!);
  await mkdir(`${scratch.path}/other`);
  await own.close();
  await expect(printed).rejects.toThrow();
  expect(await survivors(tree)).toEqual([]);
  expect(await folders()).toEqual(before);
});
