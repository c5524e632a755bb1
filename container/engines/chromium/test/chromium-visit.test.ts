// Tests how Chromium visits and prints a page as the client asks: headers and footers, cookies, headers, conditions and
// faults.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { PageVisit } from "../../../../src/document/contract/parameters/web-page.ts";
import { chromium, nothingIsLeft, openChromium, pages, show, site } from "../../../../test/support/chromium-site.ts";
import { infoOf, LETTER, print, printAs, reasonOf, textOf, wordsOf } from "../../../../test/support/chromiums.ts";
import { startSite } from "../../../../test/support/web.ts";
import type { PageSource } from "../chromium.ts";

openChromium((port) => ({
  web: { allow: `127.0.0.1:${port} 127.0.0.2:*` },
  limits: { settleMs: 3_000, conditionMs: 3_000 },
}));

const at = (path: string) => ({ url: `${site.url}${path}` });
const visited = (source: Parameters<typeof print>[1], visit: PageVisit) => print(chromium, source, { visit });

describe("headers and footers", () => {
  const TWO = "<title>A title</title><p>one<p style='break-before:page'>two";
  test("show the number of the page, the number of pages, the title and the date, between the margins, at any scale", async () => {
    const header = "<div>Top <span class=pageNumber></span>/<span class=totalPages></span></div>";
    const footer = "<div><span class=title></span> <i class=date></i></div>";
    const path = await print(chromium, TWO, { header, footer });
    expect(textOf(path)).toMatch(/Top 1\/2.*one.*A title \d+\/\d+\/\d\d,.*Top 2\/2.*two.*A title/s);
    const [top] = wordsOf(path);
    expect(top!.bottom).toBeLessThan(72);
    expect(wordsOf(await print(chromium, TWO, { header, footer, scale: 2 }))[0]).toEqual(top);
    const enlarged = await print(chromium, TWO, {
      ...{ header, layout: "mobile", margin: 36 },
      paper: { width: 1191, height: 842 },
    });
    const [first] = wordsOf(enlarged);
    expect(first!.bottom - first!.top).toBeCloseTo(top!.bottom - top!.top, 0);
    const own = `<style>@page { margin: 1in 20mm 1in 90pt }</style>${TWO}`;
    const between = "<div style='width: 100%; display: flex; justify-content: space-between'><i>a</i><i>b</i></div>";
    const ownMargins = await printAs(chromium, own, {
      ...{ header: between, paper: LETTER, margin: 72, ownPages: { size: true, margin: true } },
    });
    const [left, right] = wordsOf(ownMargins);
    const edges = [top!.left, first!.left, left!.left, right!.right];
    for (const [at, edge] of [72, 36, 90, 612 - (20 * 72) / 25.4].entries()) expect(edges[at]).toBeCloseTo(edge, 0);
  });

  test("the browser adds no title of its own; an upload has no address, a web page has", async () => {
    const footer = "<div>foot <span class=url></span></div>";
    expect(textOf(await print(chromium, TWO, { footer })).match(/\S+/g)).toEqual(["one", "foot", "two", "foot"]);
    pages.set("/two", show(TWO));
    expect(textOf(await print(chromium, at("/two"), { footer }))).toContain(`foot ${site.url}/two`);
  });

  test.each([
    ["a script", "<script>document.body.append('BAD')</script>ok"],
    [
      "handlers",
      "<img src=x onerror=\"document.body.append('BAD')\"><svg onload=\"document.body.append('BAD')\"></svg>ok",
    ],
    ["an image", "<img src=URL><svg><image href=URL /></svg><p style='background: url(URL)'>ok"],
    ["a frame", "<iframe src=URL></iframe><iframe srcdoc=BAD></iframe>ok"],
    ["this machine's files", "<iframe src=file:///etc/passwd></iframe><img src=file:///etc/passwd>ok"],
    ["an object", "<object data=URL></object><embed src=URL>ok"],
    [
      "an imported style sheet",
      "<style>@import 'URL'; @font-face { font-family: x; src: url(URL) }</style><p style='font-family: x'>ok",
    ],
    [
      "an escaped end of a style sheet",
      "<style>p { content: '\\3c/style>\\3clink rel=stylesheet href=URL>' }</style>ok",
    ],
    ["a linked style sheet", "<link rel=stylesheet href=URL><meta http-equiv=refresh content='0;url=URL'>ok"],
    [
      "a shape of another file",
      "<div style='clip-path: url(URL#a)'>ok</div><svg><rect fill='url(URL#a)' width=9 height=9 /></svg>",
    ],
    ["an unfinished tag", "ok<div title='"],
  ])("%s in a template is ignored", async (_, template) => {
    const asked: string[] = [];
    pages.set("/asked", (request, response) => {
      asked.push(request.url!);
      response.end();
    });
    const header = template.replaceAll("URL", `${site.url}/asked`);
    const text = textOf(await print(chromium, "<p>page", { header }));
    expect(text).toMatch(/ok\s+page/);
    expect(text).not.toContain("BAD");
    expect(asked).toEqual([]);
  });
});

describe("paper", () => {
  test("scale sets the size of CSS lengths", async () => {
    const heightAt = async (scale: number) => {
      const [word] = wordsOf(await print(chromium, "<p style='font: 20px monospace'>word", { scale }));
      return (word!.right - word!.left) / 4;
    };
    const one = await heightAt(1);
    expect(await heightAt(2)).toBeCloseTo(2 * one, 1);
    expect(await heightAt(0.5)).toBeCloseTo(one / 2, 1);
  });

  test("media and background", async () => {
    const page =
      "<style>@media screen { .p { display: none } } @media print { .s { display: none } }</style><p class=s>screen<p class=p>print";
    expect(textOf(await print(chromium, page))).toMatch(/^\s*print\s*$/);
    expect(textOf(await print(chromium, page, { media: "screen" }))).toMatch(/^\s*screen\s*$/);
    const size = async (background: boolean) =>
      infoOf(await print(chromium, "<body style='background: linear-gradient(red, blue)'>x", { background }))[
        "File size"
      ];
    expect(await size(false)).not.toBe(await size(true));
  });
});

describe("page numbers of links", () => {
  const CHAPTERS = ["one", "two", "a b", "grü"].map((id) => `<h1 id="${id}">chapter ${id}</h1>`).join("");
  const BREAKS = "<style>h1 { break-before: page }</style>";

  test("by the author's style sheet", async () => {
    const css = "<style>@media print { a::after { content: ' on ' target-counter(attr(href url), page) '.' } }</style>";
    const links = ["one", "two", "a%20b", "grü", "none"].map((id) => `<p><a href="#${id}">to ${id}</a>`).join("");
    const text = textOf(
      await print(chromium, `${css}${BREAKS}${links}<p><a href="b.html#one">elsewhere</a>${CHAPTERS}`),
    );
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "to one on 2. to two on 3. to a%20b on 4. to grü on 5. to none on . elsewhere on .",
    );
  });

  test("in a table of contents, which itself takes pages", async () => {
    const many = Array.from({ length: 120 }, (_, index) => `<h2>section ${index + 1}</h2>`).join("");
    const path = await print(chromium, `${BREAKS}${CHAPTERS}${many}<h3>deep</h3>`, {
      contents: { title: "All chapters", depth: 2 },
      scale: 1,
    });
    const pagesOf = textOf(path).split("\f");
    const listed = [...textOf(path).matchAll(/^[\f ]*(chapter \S+(?: b)?|section \d+) +(\d+)$/gm)];
    expect(listed.length).toBe(124);
    for (const [, title, number] of listed) expect(pagesOf[Number(number) - 1]).toMatch(new RegExp(`${title}$`, "m"));
    expect(pagesOf[0]).toMatch(/^\s*All chapters/);
    expect(pagesOf.slice(0, 3).join("")).not.toContain("deep");
  });

  test("a table of contents leaves out headings that are on no page", async () => {
    const styles = ["display: none", "visibility: hidden", "position: absolute; top: -9999px"];
    const hidden = styles.map((style) => `<h2 style="${style}">unseen</h2>`).join("");
    const contents = { title: "All chapters", depth: 2 };
    const shown = textOf(await print(chromium, `<h2 hidden>unseen</h2>${hidden}<h1>seen</h1>`, { contents }));
    expect(shown.match(/\S+/g)).toEqual(["All", "chapters", "seen", "2", "seen"]);
    const empty = textOf(await print(chromium, `${hidden}<p>text`, { contents }));
    expect(empty).toMatch(/^\s*text\s*$/);
  });
});

describe("cookies, headers and the user agent", () => {
  const heard: { host: string; path: string; headers: IncomingMessage["headers"] }[] = [];
  const hear = (text: string) => (request: IncomingMessage, response: ServerResponse) => {
    heard.push({ host: request.headers.host!, path: request.url!, headers: request.headers });
    response.setHeader("Content-Type", "text/html").setHeader("Access-Control-Allow-Origin", "*").end(text);
  };

  test("a cookie goes only to the hosts of its domain; headers go only to the origin of the page", async () => {
    await using other = await startSite((request, response) => pages.get(request.url!)!(request, response), {
      host: "127.0.0.2",
    });
    heard.length = 0;
    const foreign = other.url;
    pages.set("/from", hear(`<img src=/own.png><img src=${foreign}/other.png><img src=/redirected><p>hi`));
    for (const path of ["/own.png", "/other.png", "/moved"]) pages.set(path, hear("x"));
    pages.set("/redirected", (_, response) => response.writeHead(302, { Location: `${foreign}/moved` }).end());
    await visited(at("/from"), {
      cookies: [
        { name: "own", value: "1", domain: "127.0.0.1" },
        { name: "nowhere", value: "3", domain: "169.254.169.254" },
      ],
      headers: { Authorization: "Bearer secret", "X-Name": "grüße" },
      userAgent: "Printer/1.0",
    });
    const of = (path: string) => heard.find((request) => request.path === path)!.headers;
    expect(of("/from")).toMatchObject({ cookie: "own=1", authorization: "Bearer secret", "user-agent": "Printer/1.0" });
    expect(Buffer.from(String(of("/from")["x-name"]), "latin1").toString()).toBe("grüße");
    expect(of("/own.png")).toMatchObject({ cookie: "own=1", authorization: "Bearer secret" });
    // A browser sends no cookie for another site with the requests of a page.
    expect(of("/other.png").cookie).toBeUndefined();
    for (const path of ["/other.png", "/moved"]) {
      expect(of(path).authorization).toBeUndefined();
      expect(of(path)["x-name"]).toBeUndefined();
    }
    expect(of("/moved").cookie).toBeUndefined();
    const cookies = [
      { name: "elsewhere", value: "2", domain: "127.0.0.2", path: "/other.png" },
      { name: "own", value: "1", domain: "127.0.0.1" },
    ];
    heard.length = 0;
    await visited({ url: `${foreign}/other.png` }, { cookies });
    expect(of("/other.png").cookie).toBe("elsewhere=2");
  });

  test("the next job has neither", async () => {
    heard.length = 0;
    await print(chromium, at("/from"));
    expect(heard[0]!.headers.cookie).toBeUndefined();
    expect(heard[0]!.headers.authorization).toBeUndefined();
    expect(heard[0]!.headers["user-agent"]).toContain("Chrome/");
  });

  test("a cookie that the browser rejects is an error that names it", async () => {
    const cookies = [{ name: "__Host-x", value: "1", domain: "example.com" }];
    await expect(visited(at("/from"), { cookies })).rejects.toMatchObject({ parameter: "cookies.0" });
  });
});

describe("conditions", () => {
  const LATE =
    "<script>setTimeout(() => { document.body.innerHTML += '<p id=late>late'; window.isReady = { now: true } }, 1_200)</script><p>early";
  test.each<[string, PageVisit["waitFor"], RegExp]>([
    ["none", undefined, /^\s*early\s*$/],
    ["a selector", { selector: "#late" }, /late/],
    ["an expression about variables that do not exist yet", { expression: "isReady.now" }, /late/],
    ["a promise", { expression: "new Promise((done) => setTimeout(done, 1500, 1))" }, /late/],
    ["milliseconds", { milliseconds: 1_500 }, /late/],
  ])("%s", async (_, waitFor, expected) => {
    expect(textOf(await visited(LATE, waitFor ? { waitFor } : {}))).toMatch(expected);
  });

  test("a selector or an expression that cannot be parsed is an error", async () => {
    for (const waitFor of [{ selector: "p[" }, { selector: "p::" }, { expression: "1 +" }]) {
      await expect(visited("<p>x", { waitFor })).rejects.toMatchObject({ parameter: "wait_for" });
    }
  });

  test("an expression cannot lead to private addresses or to files", async () => {
    const to = (url: string) =>
      visited(at("/late"), { waitFor: { expression: `(location = ${JSON.stringify(url)}, false)` } });
    pages.set("/late", show(LATE));
    await expect(to("http://169.254.169.254/latest/meta-data/")).rejects.toMatchObject({ parameter: "url" });
    expect(await reasonOf(visited("<p>x", { waitFor: { expression: "fetch('file:///etc/passwd')" } }))).toBe(
      "unmet-condition",
    );
  });
});

describe("faults", () => {
  const faulty = (page: string, failOn: PageVisit["failOn"] = []) =>
    visited(page.replaceAll("SITE", site.url), { failOn }).then(
      () => "none",
      (error) => error.feature ?? error.message,
    );

  test.each<[string, string, NonNullable<PageVisit["failOn"]>[number], string]>([
    [
      "an exception",
      "<script>nothing()</script>",
      "console_errors",
      "console_errors, ReferenceError: nothing is not defined",
    ],
    ["an error on the console", "<script>console.error('oh', 1)</script>", "console_errors", "console_errors, oh 1"],
    ["a rejection", "<script>Promise.reject(Error('no'))</script>", "console_errors", "console_errors, Error: no"],
    ["a missing file", "<img src=a.png>", "missing_resources", "missing_resources, a.png (404)"],
    [
      "a private address",
      "<img src=http://10.0.0.1/a.png>",
      "missing_resources",
      "missing_resources, http://10.0.0.1/a.png (403)",
    ],
    ["a status", "<img src=SITE/none.png>", "status_errors", "status_errors, SITE/none.png (404)"],
  ])("%s", async (_, page, fault, expected) => {
    expect(await faulty(page, [fault])).toBe(expected.replaceAll("SITE", site.url));
    const others = (["console_errors", "missing_resources", "status_errors"] as const).filter((one) => one !== fault);
    expect(await faulty(page, others)).toBe("none");
  });
});

describe("files", () => {
  const withFiles = (page: string, files: Readonly<Record<string, string>>): PageSource => ({
    document: served(page, "text/html"),
    files: { find: (path) => (files[path] === undefined ? undefined : served(files[path], "text/javascript")) },
  });
  const served = (text: string, type: string) => ({ type, stream: () => Readable.from([Buffer.from(text)]) });

  test("a service worker of one job answers nothing in the next", async () => {
    const worker = "addEventListener('fetch', (event) => event.respondWith(new Response('taken')))";
    const register = `<p id=p><script>navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => { p.textContent = "registered" })</script>`;
    const waitFor = { expression: "p.textContent !== ''" };
    expect(textOf(await visited(withFiles(register, { "worker.js": worker }), { waitFor }))).toContain("registered");
    const ask = `<p id=p><script>fetch("/any").then(async (answer) => { p.textContent = answer.status + await answer.text() })</script>`;
    expect(textOf(await visited(withFiles(ask, {}), { waitFor })).trim()).toBe("404");
  });
});

test("no renderer is left", () => nothingIsLeft());
