// Tests that jobs are isolated from each other, and that real pages are printed.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chromium, openChromium, pages, show, site } from "../../../../test/support/chromium-site.ts";
import { html, infoOf, print, scratch, textOf } from "../../../../test/support/chromiums.ts";
import { corpusDir } from "../../../../test/support/corpus.ts";

openChromium();

describe("nothing of one job is seen by another", () => {
  test("cookies, storage, cache, workers, names of windows", async () => {
    let hits = 0;
    pages.set("/cached", (_, response) => {
      hits++;
      response
        .setHeader("Cache-Control", "max-age=9999")
        .setHeader("Content-Type", "text/javascript")
        .end("var cached = 1");
    });
    pages.set("/sw.js", show("", "text/javascript"));
    pages.set("/hold", (_, response) => void setTimeout(() => response.end(), 1_500));
    pages.set("/see", (request, response) => {
      response
        .setHeader("Content-Type", "text/html")
        .setHeader("Set-Cookie", "secret=1; Max-Age=9999")
        .end(`<img src=/hold><script src=/cached></script><p id=p><script>
          (async () => {
            const seen = ["cookie:${request.headers.cookie ?? ""}", document.cookie.includes("mine"), localStorage.mine, sessionStorage.mine, window.name,
              (await caches.keys()).length, (await indexedDB.databases()).length, (await navigator.serviceWorker.getRegistrations()).length];
            document.cookie = "mine=1"; localStorage.mine = 1; sessionStorage.mine = 1; window.name = "mine"; await caches.open("mine");
            await new Promise((done) => { indexedDB.open("mine").onsuccess = done }); await navigator.serviceWorker.register("/sw.js");
            p.textContent = seen.map(String).join("|");
          })();</script>`);
    });
    for (let visit = 1; visit <= 6; visit++) {
      const text = textOf(await print(chromium, { url: `${site.url}/see` }));
      expect(text.trim()).toBe("cookie:|false|undefined|undefined||0|0|0");
      expect(hits).toBe(visit);
    }
  });

  test("not in the same moment either", async () => {
    const speak = `new BroadcastChannel("x").postMessage(who); document.cookie = "of" + who + "=1"; localStorage["of" + who] = 1`;
    pages.set("/frame", (request, response) => {
      const who = new URL(request.url!, site.url).search.slice(1);
      response
        .setHeader("Content-Type", "text/html")
        .end(`<script>const who = "${who}"; setInterval(() => { ${speak} }, 20)</script>`);
    });
    pages.set("/moment", (request, response) => {
      const who = new URL(request.url!, site.url).search.slice(1);
      response.setHeader("Content-Type", "text/html");
      response.end(`<iframe src="/frame?${who}"></iframe><img src="/hold"><p id=p>nothing<script>
        const heard = new Set(); new BroadcastChannel("x").onmessage = ({ data }) => heard.add("heard" + data);
        setTimeout(() => { p.textContent = [...heard, document.cookie, ...Object.keys(localStorage)].join(" ") }, 800)</script>`);
    });
    const texts = await Promise.all(
      ["1", "2", "3"].map(async (who) => textOf(await print(chromium, { url: `${site.url}/moment?${who}` }))),
    );
    expect(texts.map((text) => text.trim())).toEqual(["1", "2", "3"].map((who) => `heard${who} of${who}=1 of${who}`));
  });
});

test("no file of the machine is seen, by any way to name it", async () => {
  await using folder = await scratch.folder("canary");
  const canary = join(folder.path, "canary.html");
  writeFileSync(canary, "<p>CANARY-7f3a");
  for (const path of [folder.path, canary]) chmodSync(path, 0o755);
  const file = `file://${canary}`;
  const ways = `<iframe src="${file}"></iframe><object data="${file}"></object><embed src="${file}">
    <link rel=import href="${file}"><p id=p>waiting<script>
    const ask = () => { const x = new XMLHttpRequest(); x.open("GET", "${file}", false); x.send(); return x.responseText };
    const told = (said) => String(said).includes("CANARY") ? "read" : "refused";
    (async () => {
      const all = [await fetch("${file}").then((r) => r.text()).then(told, () => "refused")];
      try { all.push(told(ask())) } catch { all.push("refused") }
      p.textContent = all.join(" ");
    })();</script>`;
  pages.set("/files", show(`<!doctype html>${ways}`, "text/html"));
  for (const source of [html(`<!doctype html>${ways}`), { url: `${site.url}/files` }]) {
    const text = textOf(await print(chromium, source));
    expect(text).toContain("refused refused");
    expect(text).not.toContain("CANARY");
  }
  const moved = await print(chromium, html(`<script>location = "${file}"</script>before`)).catch(() => undefined);
  expect(moved === undefined ? "" : textOf(moved)).not.toContain("CANARY");
});

describe.skipIf(corpusDir === undefined)("real pages", () => {
  test.each([
    ["UDHR_first_article_all.txt", "text/html; charset=utf-8", "Universal Declaration", 5],
    ["all", "text/html", "OfficeIMO", 3],
    ["api", "text/html", "Parsr API", 2],
    ["charset.gb18030", "text/html", "", 1],
    ["html5-test-page-index", "text/html", "HTML5 Test Page", 3],
    ["invoice", "text/html", "Invoice #: 123", 1],
    ["ssrf-fetch-html-index", "text/html", "Fetch SSRF Control", 1],
    ["test_blog", "text/html", "Does Model and Inference", 1],
    ["weasyprint-report/report", "text/html", "Report example", 1],
  ])("%s", async (name, type, text, least) => {
    const path = await print(chromium, html(readFileSync(join(corpusDir!, `html/${name}.html`)), type));
    expect(textOf(path)).toContain(text);
    expect(Number(infoOf(path).Pages)).toBeGreaterThanOrEqual(least);
  });

  test("a page with its pictures and styles, by its address", async () => {
    const folder = join(corpusDir!, "html/weasyprint-report");
    const types: Record<string, string> = {
      html: "text/html",
      css: "text/css",
      svg: "image/svg+xml",
      jpg: "image/jpeg",
    };
    for (const name of [
      "report.html",
      "report.css",
      "report-cover.jpg",
      "heading.svg",
      "style.svg",
      "table-content.svg",
      "multi-columns.svg",
      "internal-links.svg",
    ]) {
      pages.set(`/report/${name}`, (_, response) => {
        response.setHeader("Content-Type", types[name.split(".").pop()!]!).end(readFileSync(join(folder, name)));
      });
    }
    const path = await print(chromium, { url: `${site.url}/report/report.html` });
    expect(infoOf(path)).toMatchObject({ Title: "Report", "Page size": "612 x 792 pts (letter)" });
    expect(Number(infoOf(path).Pages)).toBeGreaterThan(4);
    expect(execFileSync("pdfimages", ["-list", path], { encoding: "utf8" })).toMatch(/image/);
  });
});
