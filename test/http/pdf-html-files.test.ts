// Tests POST /pdf, /png and /jpg for HTML with its files, and the options of a visit, over HTTP, in the container.
// Contract: docs/api.md#pdf, #html-with-its-files
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { strToU8, type Zippable, zipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { beginning } from "../support/beginning.ts";
import { type Client, createClient, type FormFields, privateClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";
import { decode, pixel } from "../support/pictures.ts";
import { type Service, startService } from "../support/service.ts";
import { type Site, startSite } from "../support/web.ts";

const PAGE =
  "<!doctype html><link rel=stylesheet href=css/page.css><h1>Title</h1><img src=pictures/red.svg><script type=module src=js/main.mjs></script>";
const FILES = {
  "css/page.css": '@import "more/more.css"; body { margin: 0 } h1 { margin: 0; font-size: 20px }',
  "css/more/more.css": "h1::after { content: ' styled' }",
  "pictures/red.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="#f00"/></svg>',
  "js/main.mjs": 'import { text } from "./text.mjs"; document.body.append(text);',
  "js/text.mjs": 'export const text = "scripted";',
};
const archive = (files: Record<string, string>, name = "site.zip") =>
  upload(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])) as Zippable),
    name,
  );
const inFolder = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [folder + path, text]));
const single = Object.entries(FILES).map(([path, text]) => upload(text, path));

async function converted(fields: FormFields, client = privateClient()) {
  const [made, ...more] = await client.make("/pdf", { output: "made", ...fields });
  expect(more).toEqual([]);
  return { ...made!, ...textAndInfoOf(made!.bytes, "-layout") };
}

async function error(fields: FormFields, client: Client = privateClient(), path = "/pdf") {
  const { status, body } = await client.post(path, { output: "made", ...fields });
  return [status, body.error];
}

type Answer = { readonly requestId?: string; readonly outputUrl?: string };

describe("HTML with its files", () => {
  const ALL = /Title styled.*scripted/s;

  test.each([
    ["an archive", () => ({ file: archive({ "index.html": PAGE, ...FILES }) })],
    [
      "an archive with one folder at the top",
      () => ({ file: archive(inFolder("site/", { ...FILES, "index.html": PAGE })) }),
    ],
    ["several parts", () => ({ file: [...single, upload(PAGE, "page.html")] })],
    ["further files", () => ({ file: upload(PAGE, "page.html"), asset_files: single })],
  ])("%s", async (_, fields) => {
    const { text, info, bytes } = await converted(fields());
    expect(text).toMatch(ALL);
    expect(info.Pages).toBe("1");
    expect(Buffer.from(bytes).includes("document.localhost")).toBe(false);
    const [picture] = await privateClient().make("/png", { output: "made", viewport: "200x150", ...fields() });
    expect(pixel(await decode(picture!.bytes, "png"), 20, 60).slice(0, 3)).toEqual([255, 0, 0]);
  });

  test("stored files, in JSON", async () => {
    const { url, post } = privateClient();
    const ids = await Promise.all(
      single.map(
        async (file) =>
          (await post("/pdf", { file: upload(PAGE, "page.html"), asset_files: file, output: "x" })).body.inputId![1]!,
      ),
    );
    const page = (await post("/html", { content: PAGE, output: "page" })).body.outputId;
    const body = JSON.stringify({ id: page, asset_ids: ids, scale: 1, fail_on: ["missing_resources"] });
    const response = await fetch(`${url}/pdf`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    });
    expect(textAndInfoOf(new Uint8Array(await response.arrayBuffer())).text).toMatch(ALL);
  });

  test("files of the same name in several folders, also later", async () => {
    const square = (color: string, path: string) =>
      upload(
        `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="${color}"/></svg>`,
        path,
      );
    const page =
      "<!doctype html><style>body { margin: 0 } img { display: block }</style><img src=A/p.svg><img src=b/p.svg><img src=p.svg>";
    const file = [
      ...[square("#00f", "x/../a/p.svg"), square("#0f0", "b/p.svg"), square("#f00", "p.svg")],
      upload(page, "C:\\site\\index.html"),
    ];
    const form = new FormData();
    for (const [name, value] of [
      ["output", "made"],
      ["viewport", "200x300"],
    ] as const)
      form.append(name, value);
    for (const part of file) form.append("file", part);
    const { url, make } = privateClient();
    const headers = { Prefer: "respond-async" };
    const { requestId } = (await (await fetch(`${url}/png`, { method: "POST", body: form, headers })).json()) as Answer;
    const later = await eventually(async () => {
      const { outputUrl } = (await (await fetch(`${url}/request-status/${requestId}`)).json()) as Answer;
      return Buffer.from(await (await fetch(outputUrl!)).arrayBuffer());
    });
    const [now] = await make("/png", { output: "made", viewport: "200x300", file });
    for (const bytes of [now!.bytes, later]) {
      const picture = await decode(bytes, "png");
      const colors = [45, 135, 225].map((y) => pixel(picture, 45, y).slice(0, 3));
      expect(colors).toEqual([
        [0, 0, 255],
        [0, 255, 0],
        [255, 0, 0],
      ]);
    }
  });

  test("a page sees no other file", async () => {
    const page = `<p>page<iframe src="file:///etc/hostname"></iframe><iframe src="../secret.html"></iframe><object data="/etc/passwd"></object>`;
    const { text } = await converted({ file: archive({ "site/index.html": page, "site/a.txt": "x" }) });
    expect(text.trim()).toBe("page");
  });

  test("a link in an archive leads nowhere", async () => {
    const link = [strToU8("/etc/hostname"), { os: 3, attrs: (0o120777 << 16) >>> 0 }] as const;
    const page = '<p>page<iframe src="link.txt"></iframe>';
    const bytes = zipSync({ "index.html": strToU8(page), "link.txt": [...link] });
    expect((await converted({ file: upload(bytes, "site.zip") })).text.trim()).toBe("page");
  });

  test.each([
    ["a parent folder", "../out.txt"],
    ["an absolute path", "/etc/out.txt"],
    ["a drive", "C:\\out.txt"],
    ["a parent folder in the middle", "a/../../out.txt"],
  ])("an archive with %s: 422", async (_, name) => {
    expect(await error({ file: archive({ "index.html": PAGE, [name]: "x" }) })).toEqual([
      422,
      "The input file uses a feature that is not supported: names of files that lead out of the archive.",
    ]);
  });

  test("an archive with 100,000 files, and one without a page: an error", async () => {
    const files = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, new Uint8Array(0)]));
    const many = zipSync({ "index.html": strToU8(PAGE), ...files }, { level: 0 });
    expect(await error({ file: upload(many, "many.zip") })).toEqual([
      422,
      beginning("The input file is too complex to be processed."),
    ]);
    expect(await error({ file: archive({ "a/index.html": "x", "b/other.txt": "x" }) })).toEqual([
      400,
      expect.stringContaining("The archive has no page: index.html at its top"),
    ]);
  });

  test("two documents that are no HTML: 400", async () => {
    expect(await error({ file: [upload("%!PS", "a.ps"), upload("%!PS", "b.ps")] })).toEqual([
      400,
      "This route will only accept one File or one ID.",
    ]);
  });
});

describe("a web page", () => {
  const folder = mkdtempSync(join(tmpdir(), "pdf-html-files-"));
  const heard: IncomingMessage["headers"][] = [];
  let site: Site;
  let container: ContainerProcess;
  let service: Service;
  beforeAll(async () => {
    site = await startSite((request, response) => {
      heard.push(request.headers);
      response
        .setHeader("Content-Type", "text/html")
        .end(
          "<title>Tall</title><style>body { margin: 0 } p { margin: 0; height: 3000px; background: #00f }</style><p>tall<b id=late hidden></b>",
        );
    });
    container = await startContainer({
      logFile: join(folder, "container.log"),
      env: { ENGINES: "chromium,threads", URL_ALLOW: `127.0.0.1:${site.port}` },
    });
    service = await startService({ variant: "private", container });
  });
  afterAll(async () => {
    await service?.stop();
    await container?.stop();
    await site?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const client = () => createClient(service.url);

  test("with all options", async () => {
    heard.length = 0;
    const { text, info } = await converted(
      {
        url: site.url,
        ...{ header_html: "<div>head <span class=pageNumber></span></div>", footer_html: "<div class=title></div>" },
        ...{ scale: "1", pages: "last,1", media: "screen", background: "off", wait_for: "#late" },
        ...{
          user_agent: "Printer/1",
          cookies: '[{"name":"a","value":"b","domain":"127.0.0.1"}]',
          headers: '{"X-Key":"k"}',
        },
        fail_on: "console_errors,status_errors",
      },
      client(),
    );
    expect(Number(info.Pages)).toBe(2);
    expect(text).toMatch(/head [2-9].*Tall.*head 1.*tall.*Tall/s);
    expect(heard.length).toBeGreaterThan(0);
    for (const headers of heard) {
      expect(headers).toMatchObject({ "user-agent": "Printer/1", cookie: "a=b", "x-key": "k" });
    }
  });

  test("as a picture: the page, the window, an element, in other sizes", async () => {
    const sizeOf = async (fields: FormFields, format = "png") => {
      const made = await client().make(`/${format}`, { url: site.url, output: "made", viewport: "300x200", ...fields });
      expect(made.map(({ name }) => name)).toEqual([`made_1.${format}`]);
      const { width, height } = await decode(made[0]!.bytes, format);
      return `${width}x${height}`;
    };
    expect(await sizeOf({})).toBe("300x3000");
    expect(await sizeOf({ full_page: "off" })).toBe("300x200");
    expect(await sizeOf({ full_page: "off", device_scale: "2" }, "jpg")).toBe("600x400");
    expect(await sizeOf({ selector: "p", device_scale: "0.5" })).toBe("150x1500");
    expect(await error({ url: site.url, selector: "h9" }, client(), "/png")).toEqual([
      400,
      beginning("h9 is not within the acceptable range for selector."),
    ]);
    expect(await error({ url: site.url, viewport: "8000x8000", device_scale: "4" }, client(), "/png")).toEqual([
      422,
      beginning("The input file is too complex to be processed. The picture would have 32000"),
    ]);
  });

  test("with a fault: 422", async () => {
    expect(
      await error({ url: site.url, fail_on: "console_errors", wait_for: "js:console.error('bad') || 1" }, client()),
    ).toEqual([422, "The web page has a fault that fail_on does not allow: console_errors, bad."]);
  });
});

describe("a value out of range: 400", () => {
  const file = () => upload("<p>x", "page.html");
  test.each([
    ["scale", "0.05", "0.05"],
    ["scale", "2.5", "2.5"],
    ["pages", "0-", "0-"],
    ["pages", "7", "7", "pages. page.pdf has 1 page."],
    ["media", "tv", "tv"],
    ["background", "maybe", "maybe"],
    ["user_agent", "a\r\nX-Key: k", "a\r\nX-Key: k"],
    ["wait_for", "40000", "40000"],
    ["wait_for", "p[", "p["],
    ["wait_for", "js:1 +", "js:1 +"],
    ["fail_on", "everything", "everything"],
    ["headers", '{"Host":"a"}', "The value", "headers.Host"],
    ["headers", '{"Content-Length":"1"}', "The value", "headers.Content-Length"],
    ["headers", '{"Transfer-Encoding":"x"}', "The value", "headers.Transfer-Encoding"],
    ["headers", '{"X":"a\\r\\nY: b"}', "The value", "headers.X"],
    ["headers", '{"X\\r\\nY":"b"}', "The value"],
    ["headers", "{", "The value"],
    ["cookies", '[{"name":"a","value":"b;c","domain":"a.com"}]', "The value", "cookies.0.value"],
    ["cookies", '[{"name":"a","value":"b\\r\\n","domain":"a.com"}]', "The value", "cookies.0.value"],
    ["cookies", '[{"name":"__Host-a","value":"b","domain":"a.com"}]', "The value", "cookies.0"],
  ])("%s %s", async (field, value, shown, named = field) => {
    const [status, sentence] = await error({ file: file(), [field]: value });
    expect(status).toBe(400);
    expect(sentence).toContain(`${shown} is not within the acceptable range for ${named}`);
  });

  test("a template or a condition that is too long", async () => {
    expect((await error({ file: file(), header_html: "x".repeat(60_001) }))[0]).toBe(400);
    expect((await error({ file: file(), wait_for: "x".repeat(2 ** 20) }))[0]).toBe(413);
  });

  test("a cookie without a domain", async () => {
    expect(await error({ file: file(), cookies: '[{"name":"a","value":"b"}]' })).toEqual([
      400,
      "The 'cookies.0.domain' field is required.",
    ]);
  });
});
