// Tests inputs by URL over HTTP, on every endpoint that accepts files: the container fetches them, the service stores
// them like uploads, and no private address is ever contacted.
// Contract: docs/api.md#inputs-by-url
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import type { OperationList } from "../../src/service/http/contract/operation-list.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { zip } from "../fixtures/office.ts";
import { fieldPdf, labeledPdf, textPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { createClient, type FormFields, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_IMAGE, exampleFiles, exampleValues } from "../support/examples.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";
import { attackersDns, furtherAddresses, privateAddresses } from "../support/private-addresses.ts";
import { type Service, startService } from "../support/service.ts";
import { type Answer, type Ear, openEar, type Site, startDns, startPages } from "../support/web.ts";
import { openBrowser, run, visit } from "../support/workbench.ts";

const list = (await (await fetch(`${inject("services").keyed.url}/operations.json`)).json()) as OperationList;
/** Operations on files, except `/pdf`, for which a URL can also lead to a web page. */
const takesFiles = list.operations
  .filter(({ input }) => ["one", "several"].includes(input.kind) && !input.webPages)
  .map((operation) => [operation.path, operation] as const);
const folder = mkdtempSync(join(tmpdir(), "url-test-"));
const pages = new Map<string, Answer>();
const visits: string[] = [];
let site: Site;
let ear: Ear;
let dns: Awaited<ReturnType<typeof startDns>>;
let container: ContainerProcess;
const services: Partial<Record<"private" | "keyed", Service>> = {};

const show =
  (type: string, body: string | Uint8Array): Answer =>
  (request, response) => {
    visits.push(String(request.url));
    response.setHeader("Content-Type", type).end(Buffer.from(body));
  };

beforeAll(async () => {
  ear = await openEar();
  site = await startPages(pages);
  dns = await startDns(attackersDns);
  const env = { URL_ALLOW: `127.0.0.1:${site.port}`, URL_DNS: dns.address };
  container = await startContainer({ logFile: join(folder, "container.log"), env });
  for (const variant of ["private", "keyed"] as const) services[variant] = await startService({ variant, container });
  pages.set("/three.pdf", show("application/pdf", await fieldPdf(3, [144, 144])));
  pages.set("/made.xml", show("application/xml", Buffer.from(invoiceXml("basic"))));
  pages.set("/made.zip", show("application/zip", zip({ "a.txt": "Contents" })));
  pages.set("/a", show("application/pdf", await labeledPdf("A", 3)));
  pages.set("/b.pdf", show("application/octet-stream", await labeledPdf("B", 3)));
  pages.set("/text", show("text/plain", "just text"));
  pages.set("/page", show("text/html", "<!doctype html><title>t</title><p>printed by its address"));
  pages.set("/large", (_, response) => response.end(Buffer.alloc(101 * 2 ** 20)));
}, 600_000);
afterAll(async () => {
  await Promise.all(Object.values(services).map((service) => service.stop()));
  await container?.stop();
  for (const started of [site, ear, dns]) await started?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const client = (variant: "private" | "keyed" = "private") =>
  createClient(services[variant]!.url, services[variant]!.key);
async function error(path: string, fields: FormFields): Promise<[number, string | undefined]> {
  const { status, body } = await client().post(path, { output: "made", ...fields });
  return [status, body.error];
}
async function json(path: string, value: unknown, headers: Record<string, string> = {}) {
  const init = {
    method: "POST",
    body: JSON.stringify(value),
    headers: { "Content-Type": "application/json", ...headers },
  };
  const response = await fetch(services.private!.url + path, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const fileOf = (id: unknown) => fetch(`${services.private!.url}/resource/${id}?format=file`);

/** Names and types of files for operations that do not accept PDFs. */
const OTHER_FILES: Readonly<Record<string, readonly [string, string]>> = {
  "/unzip": ["made.zip", "application/zip"],
  "/validated-zugferd": ["made.xml", "application/xml"],
  "/zugferd-pdf": ["made.xml", "application/xml"],
};

test.each(takesFiles)("%s takes an address, and stores the file as an input", async (path, operation) => {
  const [name, type] = OTHER_FILES[path] ?? ["three.pdf", "application/pdf"];
  const url = `${site.url}/${name}`;
  const several = operation.input.kind === "several";
  const order = operation.input.orderedBy ? { [`${operation.input.orderedBy}[]`]: "url" } : {};
  const selections = operation.parameters.filter(({ perInput }) => perInput).map(({ name }) => [`${name}[]`, "all"]);
  const values = Object.entries(exampleValues(operation)).map(([name, value]) =>
    Array.isArray(value) ? [`${name}[]`, value] : [name, String(value)],
  );
  const image = upload(Buffer.from(EXAMPLE_IMAGE.base64, "base64"), EXAMPLE_IMAGE.name);
  const fields = {
    ...order,
    ...Object.fromEntries([...selections, ...values]),
    ...exampleFiles(operation, image, upload(await textPdf(3), "three.pdf")),
  };
  const { status, body } = await client("keyed").post(path, {
    ...(operation.output.data ? {} : { output: "made" }),
    ...{ [several ? "url[]" : "url"]: url, ...fields },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  const info = await fetch(`${services.keyed!.url}/resource/${[body.inputId].flat()[0]}?format=info`);
  expect(await info.json()).toMatchObject({ name, type });
});

test("/upload fetches addresses later for a client that does not wait", async () => {
  const { url } = services.private!;
  const submit = async (fields: Readonly<Record<string, string | Blob>>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { Prefer: "respond-async" };
    const response = await fetch(`${url}/upload`, { method: "POST", body, headers });
    expect(response.status).toBe(202);
    return ((await response.json()) as { requestId: string }).requestId;
  };
  const resultOf = (id: string) =>
    eventually(async () => {
      const status = (await (await fetch(`${url}/request-status/${id}`)).json()) as Record<string, unknown>;
      expect(status.status).not.toBe("pending");
      return status;
    });
  const id = await submit({ file: new Blob(["text"]), "url[]": `${site.url}/b.pdf` });
  const { files } = (await resultOf(id)) as { files: { name: string; id: string }[] };
  expect(files.map(({ name }) => name)).toEqual(["blob", "b.pdf"]);
  expect((await fileOf(files[1]!.id)).status).toBe(200);
  expect((await fetch(`${url}/request-status/${id}`, { method: "DELETE" })).status).toBe(204);
  for (const file of files) await eventually(async () => expect((await fileOf(file.id)).status).toBe(404));
  expect(await resultOf(await submit({ "url[]": `${site.url}/none` }))).toMatchObject({
    ...{ status: "failed", errorStatus: 422 },
  });
});

test("/upload takes addresses too, beside files", async () => {
  const { status, body } = await client().post("/upload", {
    file: upload("text", "a.txt"),
    "url[]": [`${site.url}/a`, `${site.url}/b.pdf`],
  });
  expect(status).toBe(200);
  const { files } = body as unknown as { files: { name: string; id: string }[] };
  expect(files.map(({ name }) => name)).toEqual(["a.txt", "a.pdf", "b.pdf"]);
  expect((await fileOf(files[2]!.id)).headers.get("Content-Type")).toBe("application/pdf");
});

describe("a merge", () => {
  const labels = async (fields: FormFields) => {
    const [made] = await client().make("/merged-pdf", { output: "made", ...fields });
    return textAndInfoOf(made!.bytes).text.match(/[A-Z]\d/g);
  };

  test("takes files, ids and addresses in the order of type[]", async () => {
    const stored = await client().post("/zip", { file: upload(await labeledPdf("C", 2)), output: "c" });
    expect(
      await labels({
        file: upload(await labeledPdf("D", 1)),
        "id[]": [stored.body.inputId!].flat(),
        "url[]": [`${site.url}/a`, `${site.url}/b.pdf`],
        "type[]": ["url", "id", "url", "file"],
        "pages[]": ["2", "all", "last-1", "1"],
      }),
    ).toEqual(["A2", "C1", "C2", "B3", "B2", "B1", "D1"]);
  });

  test("has the errors of other inputs", async () => {
    const url = `${site.url}/a`;
    expect(await error("/merged-pdf", { "url[]": url, "type[]": "file", "pages[]": "1" })).toEqual([
      400,
      "The 'type[]' values do not match the 'file' and 'id' values.",
    ]);
    expect(await error("/merged-pdf", { "url[]": [url, url], "type[]": "url", "pages[]": "1" })).toEqual([
      400,
      "Too many 'file' or 'id' values.",
    ]);
  });
});

describe("JSON", () => {
  test("names inputs by address, and by id", async () => {
    const { body } = await json("/merged-pdf", {
      url: [`${site.url}/a`, `${site.url}/b.pdf`],
      type: ["url", "url"],
      pages: ["1", 2],
    });
    const info = (await (await fetch(String(body.outputUrl).replace("=file", "=info"))).json()) as { name: string };
    expect(info.name).toBe("a_merged-pdf.pdf");
    const again = await json("/png", { id: body.outputId, pages: [1, "2"], resolution: 36, output: null });
    expect(again.body.outputId).toHaveLength(2);
  });

  test("is answered with a file, and nothing is kept of what was fetched", async () => {
    const response = await fetch(`${services.private!.url}/png`, {
      method: "POST",
      body: JSON.stringify({ url: `${site.url}/three.pdf`, pages: 2 }),
      headers: { "Content-Type": "application/json", Accept: "image/png" },
    });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "image/png"]);
  });
});

const cookie = (name: string, value: string) => JSON.stringify([{ name, value, domain: "127.0.0.1" }]);

describe("/pdf", () => {
  test("converts a document", async () => {
    const tiny = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
    pages.set("/dot.png", show("image/png", Buffer.from(tiny, "base64")));
    pages.set("/sheet", show("text/csv", "a,b\n1,2\n"));
    for (const path of ["/dot.png", "/sheet"]) {
      const { status, body } = await client().post("/pdf", { url: site.url + path, output: "made" });
      expect([path, status, body.error]).toEqual([path, 200, undefined]);
    }
  });

  test("prints a page, which is requested once, also behind redirects; by the ID of its shortcut again", async () => {
    const asked: string[] = [];
    const once = (path: string, status: number, headers: Record<string, string>, body = "") =>
      pages.set(path, (request, response) => {
        const { cookie = "", "user-agent": agent = "", "x-own": own } = request.headers;
        asked.push([request.url, cookie, own, /Chrome.*Mobile/.test(agent)].join(" ").trim());
        response.writeHead(status, { "Content-Type": "text/html; charset=iso-8859-2", ...headers });
        response.end(Buffer.from(body, "latin1"));
      });
    once("/once", 302, { Location: "/deep/page?q=1", "Set-Cookie": "hop=1; Path=/; HttpOnly" });
    const script = "<script>document.body.append(document.cookie, ' at ', location.pathname)</script>";
    once("/deep/page", 200, { "Set-Cookie": "last=2; Path=/" }, `<p>\xb1 <img src=dot.png>${script}`);
    once("/deep/dot.png", 404, {});
    const fields = { url: `${site.url}/once`, output: "made", headers: '{"X-Own": "mine"}', web_layout: "mobile" };
    const { body } = await client().post("/pdf", fields);
    const textOf = async (id: unknown) =>
      textAndInfoOf(new Uint8Array(await (await fileOf(id)).arrayBuffer())).text.replaceAll(/\s+/g, " ");
    expect(await textOf(body.outputId)).toContain("ą last=2 at /deep/page");
    const visit = ["/once  mine true", "/deep/page?q=1 hop=1 mine true", "/deep/dot.png hop=1; last=2 mine true"];
    expect(asked).toEqual(visit);
    expect(await (await fileOf(body.inputId)).text()).toContain("[InternetShortcut]");

    const again = await client().post("/pdf", { ...fields, url: "", id: String(body.inputId) });
    expect(await textOf(again.body.outputId)).toContain("ą last=2 at /deep/page");
    expect(asked).toEqual([...visit, ...visit]);

    await client().post("/png", { url: `${site.url}/deep/page`, output: "made", cookies: cookie("own", "3") });
    const steps = JSON.stringify([{ png: { cookies: [{ name: "own", value: "4", domain: "127.0.0.1" }] } }]);
    await client().post("/steps", { "url[]": `${site.url}/once`, output: "made", steps });
    expect(asked.splice(8)).toEqual([
      "/once own=4  false",
      "/deep/page?q=1 own=4; hop=1  false",
      "/deep/dot.png own=4; hop=1; last=2  false",
    ]);
    expect(asked.slice(6)).toEqual(["/deep/page own=3  false", "/deep/dot.png own=3; last=2  false"]);
  });

  test("takes no PDF", async () => {
    const pdf = { url: `${site.url}/three.pdf` };
    expect(await error("/pdf", pdf)).toEqual([422, "The address does not lead to a web page."]);
  });
});

describe("errors", () => {
  test("of an address that leads to no file", async () => {
    expect(await error("/gif", { url: `${site.url}/none` })).toEqual([422, "The file at the URL could not be loaded."]);
    expect(await error("/zip", { "url[]": "http://10.0.0.1/" })).toEqual([
      400,
      beginning("http://10.0.0.1/ is not within the acceptable range for url[]."),
    ]);
    expect(await error("/gif", { url: `${site.url}/large` })).toEqual([
      413,
      "The file exceeds the maximum size of 100 MB.",
    ]);
  });

  test("of an address beside another input", async () => {
    const url = `${site.url}/a`;
    const file = upload(await textPdf(1));
    expect(await error("/png", { url, file })).toEqual([
      400,
      "This route will only accept one of a File, an ID or a URL.",
    ]);
    expect(await error("/png", { url: [url, url] })).toEqual([
      400,
      "Found more than one url key, only one is allowed.",
    ]);
    expect(await error("/png", { url: "" })).toEqual([400, "This route needs a File or an ID."]);
  });

  test("of a file of an unsuitable type", async () => {
    expect(await error("/gif", { url: `${site.url}/page` })).toEqual([
      400,
      beginning("Uploaded file is not valid input for this route."),
    ]);
  });
});

describe("a place that is not public is not visited", () => {
  const all = [...privateAddresses.map(([name, , address]) => [name, address] as const), ...furtherAddresses];

  test("many forms", () => expect(all.length).toBeGreaterThanOrEqual(40));

  test.each(all)("%s", async (_, address) => {
    const url = address(ear.port);
    const range = (parameter: string) => ({
      status: 400,
      body: { error: beginning(`${url} is not within the acceptable range for ${parameter}.`) },
    });
    const unreachable = { status: 422, body: { error: "The file at the URL could not be loaded." } };
    const redirected = `${site.url}/redirect`;
    pages.set("/redirect", (_, response) => {
      const location = URL.canParse(url) ? new URL(url).href : encodeURI(url);
      response.writeHead(302, { Location: location }).end();
    });
    expect([range("url"), unreachable]).toContainEqual(await json("/png", { url }));
    expect([range("url[]"), unreachable]).toContainEqual(await json("/zip", { url: [url] }));
    expect([range("url[]"), unreachable]).toContainEqual(
      await json("/merged-pdf", { url: [url], type: ["url"], pages: ["1"] }),
    );
    expect((await json("/png", { url: redirected })).status).toBeGreaterThanOrEqual(400);
    expect(ear.count).toBe(0);
  });
});

test("a job is not accepted for a number that is not public", async () => {
  const later = async (path: string, value: unknown) => {
    const headers = { "Content-Type": "application/json", Prefer: "respond-async" };
    const response = await fetch(services.private!.url + path, {
      method: "POST",
      headers,
      body: JSON.stringify(value),
    });
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  const numbers = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "１２７.0.0.1",
    "[::1]",
    "[::ffff:7f00:1]",
    "10.0.0.1.",
    "[fd00::1]",
  ];
  const allowed = `${site.url}/b.pdf`;
  for (const number of numbers) {
    const url = `http://${number}:${ear.port}/`;
    const refused = (parameter: string) => [
      400,
      beginning(`${url} is not within the acceptable range for ${parameter}.`),
    ];
    expect(await later("/png", { url })).toEqual(refused("url"));
    expect(await later("/pdf", { url })).toEqual(refused("url"));
    expect(await later("/zip", { url: [allowed, url] })).toEqual(refused("url[]"));
    expect(await later("/upload", { url: [allowed, "http://public.net/", url] })).toEqual(refused("url[]"));
  }
  expect(await later("/zip", { url: [allowed, allowed] })).toEqual([202, undefined]);
  expect(ear.count).toBe(0);
});

test("without a container: 503", async () => {
  const alone = await startService({ variant: "private" });
  try {
    const { status, body } = await createClient(alone.url).post("/png", { url: `${site.url}/a`, output: "made" });
    expect([status, body.error]).toEqual([503, "The service is busy, please try again later."]);
  } finally {
    await alone.stop();
  }
});

test("the workbench converts a web page and a file by their addresses", async () => {
  const browser = await openBrowser();
  try {
    await visit(browser, { url: services.private!.url }, async (page) => {
      for (const [path, name] of [
        ["page", "127.0.0.1.pdf"],
        ["b.pdf", "b_1.png"],
      ]) {
        await page.fill("#address", `http://127.0.0.1:${site.port}/${path}`);
        await page.press("#address", "Enter");
        await page.waitForSelector(".file:has-text('fetched by the service')");
        if (path === "b.pdf") {
          // The workbench fetches a file immediately; a web page is loaded only by the job.
          await page.waitForSelector(".file .small:has-text(' page')");
          await page.check("input[name=operation][value='/png']", { force: true });
        }
        await run(page);
        expect(await page.textContent(".output .name")).toBe(name);
        await page.waitForSelector(".sheet img");
        await page.click(".file button:has-text('Remove')");
      }
    });
  } finally {
    await browser.close();
  }
});
