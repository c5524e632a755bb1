// Tests POST /pdf for HTML files and web pages (spec, "POST /pdf"), over HTTP, in the container.
// Contract: docs/api.md#pdf
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { beginning } from "../support/beginning.ts";
import { createClient, type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";
import { type Service, startService } from "../support/service.ts";
import { type Site, startSite } from "../support/web.ts";

const folder = mkdtempSync(join(tmpdir(), "pdf-html-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = `<!doctype html><title>A page</title><style>body { margin: 0 } p { font-size: 20px }
  span { display: none } @media (max-width: 500px) { .mobile { display: inline } }
  @media (min-width: 501px) and (max-width: 1000px) { .tablet { display: inline } } @media (min-width: 1001px) { .desktop { display: inline } }</style>
  <p>Hello <span class=mobile>mobile</span><span class=tablet>tablet</span><span class=desktop>desktop</span><p>grüße`;
const page = () => upload(PAGE, "page.html");

async function converted(fields: FormFields, client = privateClient()) {
  const [made, ...more] = await client.make("/pdf", { output: "made", ...fields });
  expect(more).toEqual([]);
  return { ...made!, ...textAndInfoOf(made!.bytes, "-layout") };
}

async function error(fields: FormFields, client = privateClient()): Promise<[number, string | undefined]> {
  const { status, body } = await client.post("/pdf", { output: "made", ...fields });
  return [status, body.error];
}

const range = (value: string, parameter: string) => [
  400,
  beginning(`${value} is not within the acceptable range for ${parameter}.`),
];

describe("an HTML file becomes a PDF", () => {
  test("with the defaults of the specification: letter, an inch, upright, desktop", async () => {
    const { name, type, text, info } = await converted({ file: page() });
    expect([name, type]).toEqual(["made.pdf", "application/pdf"]);
    expect(text).toMatch(/Hello desktop\s+grüße/);
    expect(info).toMatchObject({ Title: "A page", Pages: "1", "Page size": "612 x 792 pts (letter)" });
  });

  test("by the id of /html; and by the id of an upload", async () => {
    const saved = await privateClient().post("/html", { content: PAGE, output: "saved" });
    const id = saved.body.outputId as string;
    const { body } = await privateClient().post("/pdf", { id, output: "a" });
    expect(body.inputId).toBe(id);
    expect((await converted({ id })).text).toContain("Hello desktop");
    const first = await privateClient().post("/pdf", { file: page(), output: "a" });
    expect((await converted({ id: first.body.inputId! })).text).toContain("Hello desktop");
  });

  test("in the keyed variant", async () => {
    expect((await converted({ file: page() }, keyedClient())).info.Pages).toBe("1");
  });

  test.each([
    ["letter", "612 x 792 pts (letter)"],
    ["legal", "612 x 1008 pts"],
    ["ledger", "792 x 1224 pts"],
    ["A3", "841.92 x 1191.12 pts (A3)"],
    ["A4", "594.96 x 841.92 pts (A4)"],
    ["A5", "420 x 594.96 pts (A5)"],
  ])("page_size %s", async (page_size, expected) => {
    expect((await converted({ file: page(), page_size })).info["Page size"]).toBe(expected);
  });

  test("page_orientation", async () => {
    const { info } = await converted({ file: page(), page_orientation: "landscape", page_size: "legal" });
    expect(info["Page size"]).toBe("1008 x 612 pts");
    expect(info["Page rot"]).toBe("0");
  });

  test("page_margin in inches and in millimeters", async () => {
    for (const [page_margin, points] of [
      ["0in", 0],
      ["0.25in", 18],
      ["25.4mm", 72],
      [".5in", 36],
    ] as const) {
      const { bytes } = await converted({ file: page(), page_margin });
      writeFileSync(join(folder, "margin.pdf"), bytes);
      const boxes = execFileSync("pdftotext", ["-bbox", join(folder, "margin.pdf"), "-"], { encoding: "utf8" });
      expect(Math.abs(Number(/xMin="([\d.]+)"/.exec(boxes)![1]) - points), page_margin).toBeLessThan(1.5);
    }
  });

  test.each(["4.25in", "4.2in", "108mm", "999999in"])("page_margin %s leaves no room: 400", async (page_margin) => {
    expect(await error({ file: page(), page_margin })).toEqual(range(page_margin, "page_margin"));
  });

  test("where the paper is larger there is room", async () => {
    expect((await converted({ file: page(), page_margin: "4.25in", page_size: "ledger" })).info.Pages).toBeDefined();
  });

  test.each(["desktop", "tablet", "mobile"])("web_layout %s", async (web_layout) => {
    expect((await converted({ file: page(), web_layout })).text).toContain(`Hello ${web_layout}`);
  });

  test("compression and downsample are accepted", async () => {
    expect((await converted({ file: page(), compression: "lossless", downsample: "off" })).info.Pages).toBe("1");
  });

  test("without a suffix, as XHTML, in another encoding", async () => {
    expect((await converted({ file: upload(PAGE, "page") })).text).toContain("Hello");
    const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><meta charset="latin1"/></head><body>XHTML, Grüße</body></html>`;
    expect((await converted({ file: upload(xhtml, "page.xhtml") })).text).toContain("XHTML, Grüße");
    const unlabeled = `<form accept-charset=latin1></form>Grüße`;
    expect((await converted({ file: upload(unlabeled, "page.html") })).text).toContain("Grüße");
    const latin = Buffer.from(`<html><meta charset=latin1>Gr\xfc\xdfe`, "latin1");
    expect((await converted({ file: upload(latin, "page.html") })).text).toContain("Grüße");
  });

  test("nothing of this machine is in its reach", async () => {
    writeFileSync(join(folder, "secret.txt"), "SECRET-1f2e");
    const paths = [
      `file://${folder}/secret.txt`,
      `${folder}/secret.txt`,
      "../../../../../../etc/passwd",
      "//localhost/etc/passwd",
    ];
    const frames = paths.map((path) => `<iframe src="${path}"></iframe><object data="${path}"></object>`).join("");
    const { text } = await converted({ file: upload(`<!doctype html><p>before${frames}`, "a.html") });
    expect(text).toContain("before");
    expect(text).not.toMatch(/SECRET|root:/);
  });
});

describe("a web page becomes a PDF", () => {
  let site: Site;
  let container: ContainerProcess;
  let service: Service;
  beforeAll(async () => {
    const answers: Record<string, [string, string]> = {
      "/": ["text/html", `${PAGE}<link rel=stylesheet href=/style.css><p>by its address`],
      "/style.css": ["text/css", "body::after { content: 'styled' }"],
      "/picture": ["image/png", "\x89PNG"],
      "/private": ["text/html", `<script>location = "http://10.0.0.1/"</script>`],
    };
    site = await startSite((request, response) => {
      const [type, body] = answers[request.url!] ?? [];
      if (request.url === "/redirect") response.writeHead(302, { Location: "http://169.254.169.254/latest/" }).end();
      else if (type) response.setHeader("Content-Type", type).end(body);
      else response.writeHead(404, { "Content-Type": "text/html" }).end("not here");
    });
    container = await startContainer({
      logFile: join(folder, "container.log"),
      env: { ENGINES: "chromium", URL_ALLOW: `127.0.0.1:${site.port}` },
    });
    service = await startService({ variant: "private", container });
  });
  afterAll(async () => {
    await service?.stop();
    await container?.stop();
    await site?.[Symbol.asyncDispose]();
  });
  const client = () => createClient(service.url);

  test("with its styles; the answer has an id that stands for the address", async () => {
    const { status, body } = await client().post("/pdf", { url: `${site.url}/`, output: "made" });
    expect(status).toBe(200);
    expect(body.inputId).toMatch(/^1/);
    expect(body.outputId).toMatch(/^2/);
    const stored = await fetch(`${service.url}/resource/${body.inputId}?format=file`);
    expect(await stored.text()).toMatch(new RegExp(`^\\[InternetShortcut\\]\r\nURL=${site.url}/\r\n`));
    const again = await converted({ id: body.inputId! }, client());
    expect(again.text).toMatch(/Hello desktop.*by its address\s+styled/s);
    expect(again.info.Title).toBe("A page");
  });

  test("with the options of HTML", async () => {
    const options = { page_size: "A5", page_orientation: "landscape", page_margin: "5mm", web_layout: "mobile" };
    const { text, info } = await converted({ url: site.url, ...options }, client());
    expect(text).toContain("Hello mobile");
    expect(info["Page size"]).toBe("594.96 x 420 pts (A5)");
  });

  test.each([
    "page",
    "www.public.net",
    "//www.public.net/",
    "ftp://www.public.net/",
    "file:///etc/passwd",
    "view-source:http://www.public.net/",
    "javascript:alert(1)",
    "data:text/html,x",
    "http://name:password@www.public.net/",
    "http://name@www.public.net/",
    "http://",
    "http://www.public.net:8080/",
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://localhost/",
    "http://169.254.169.254/latest/meta-data/",
  ])("%s: 400", async (url) => {
    expect(await error({ url }, client())).toEqual(range(url, "url"));
  });

  test("what leads to such a place: 400", async () => {
    for (const path of ["/redirect", "/private"]) {
      expect(await error({ url: `${site.url}${path}` }, client())).toEqual(range(`${site.url}${path}`, "url"));
    }
  });

  test("what is not there, and what is no page: 422", async () => {
    expect(await error({ url: `${site.url}/none` }, client())).toEqual([422, "The web page could not be loaded."]);
    expect(await error({ url: `${site.url}/picture` }, client())).toEqual([
      422,
      "The address does not lead to a web page.",
    ]);
  });

  test("a shortcut that is uploaded is an address; one to something else is none", async () => {
    const shortcut = (url: string) => upload(`[InternetShortcut]\nURL=${url}\n`, "page.url");
    expect((await converted({ file: shortcut(site.url) }, client())).text).toContain("by its address");
    expect(await error({ file: shortcut("file:///etc/passwd") }, client())).toEqual([
      400,
      beginning("Uploaded file is not valid input for this route."),
    ]);
  });

  test("failed, nothing is stored", async () => {
    const { body } = await client().post("/pdf", { url: `${site.url}/none`, output: "made" });
    expect(body.inputId).toBeUndefined();
  });
});

describe.skipIf(corpusDir === undefined)("real pages", () => {
  test.each([
    ["all", 5],
    ["api", 3],
    ["charset.gb18030", 1],
    ["html5-test-page-index", 4],
    ["invoice", 1],
    ["ssrf-fetch-html-index", 1],
    ["test_blog", 1],
    ["UDHR_first_article_all.txt", 8],
  ])("%s", async (name, least) => {
    const file = upload(readFileSync(join(corpusDir!, `html/${name}.html`)), `${name}.html`);
    const { info } = await converted({ file });
    expect(Number(info.Pages)).toBeGreaterThanOrEqual(least);
  });
});
