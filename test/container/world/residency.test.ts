// Calls every operation with a key that is bound to a jurisdiction, and follows its files and jobs. Names and texts of
// documents stay in the jurisdiction, which is in Frankfurt. The default region is in Virginia, the client in Sydney.
// Contract: docs/api.md#regions
import { afterAll, expect, test } from "vitest";
import type { ListedOperation, OperationList } from "../../../src/service/http/contract/operation-list.ts";
import { invoiceXml } from "../../fixtures/invoices.ts";
import { docx, paragraph } from "../../fixtures/office.ts";
import { fieldPdf } from "../../fixtures/pdfs.ts";
import { EXAMPLE_IMAGE, exampleFields, exampleFormat } from "../../support/examples.ts";
import { LIMITS_OF_KEY } from "../../support/world/kinds.ts";
import { startWorld } from "../../support/world/world-service.ts";

const NAME = "name-93ab41";
const TEXT = "text-5d20fe";
const KEY = "a-bound-key";
/** Resources outside the jurisdiction that requests use: key records, and usage in numbers. */
const OUTSIDE = ["API_KEYS", "USAGE"];

const world = await startWorld({
  ...{ variant: "keyed", regions: "enam,eu", keys: { [KEY]: { regions: ["eu"], limits: LIMITS_OF_KEY } } },
});
afterAll(() => world[Symbol.asyncDispose]());
const { operations } = (await (await world.fetch("Sydney", "/operations.json")).json()) as OperationList;
await world.watch(NAME, TEXT);

const DOCX = new Uint8Array(docx({ body: paragraph(TEXT) }));
const PDF = new Uint8Array(await fieldPdf(1));
const PNG = new Uint8Array(Buffer.from(EXAMPLE_IMAGE.base64, "base64"));
const XML = invoiceXml("xrechnung", { product: TEXT });
const INPUTS = { pdf: PDF, docx: DOCX, zip: DOCX, xml: XML };
const fileOf = (accepts: string, name: string) => {
  if (name.endsWith(".png")) return new File([PNG], `${NAME}.png`);
  return accepts === "pdf" ? new File([PDF], `${NAME}.pdf`) : new File([TEXT], `${NAME}.${name.split(".").at(-1)}`);
};

/** Returns the form of an operation's example. */
function formOf(operation: ListedOperation): FormData {
  const { input, files, parameters, example } = operation;
  const form = new FormData();
  form.append("output", NAME);
  const isFile = (name: string) => name === "file" || files.some((file) => file.name === name);
  for (const [name, value] of Object.entries(exampleFields(operation))) {
    if (isFile(name)) continue;
    const values = name === "pages[]" ? ["1"] : [value].flat();
    for (const one of values) form.append(name, String(one));
  }
  for (const { name, list, perInput } of parameters) {
    if (perInput && !form.has(list ? `${name}[]` : name)) form.append(list ? `${name}[]` : name, "1");
  }
  for (const { name, required, accepts } of files) {
    const sample = [example[name] ?? (accepts === "pdf" ? "a.pdf" : "a.png")].flat().map(String)[0]!;
    if (required || name in example) form.append(name, fileOf(accepts, sample));
  }
  if (input.orderedBy) form.append(`${input.orderedBy}[]`, "file");
  if (input.kind === "text") form.set(input.field!, `<p>${TEXT}`);
  else if (input.kind !== "none") {
    const format = exampleFormat(operation);
    form.append("file", new File([INPUTS[format]], `${NAME}.${format}`));
  }
  return form;
}

const send = (method: string, path: string, init: RequestInit = {}) =>
  world.fetch("Sydney", path, { ...init, method, headers: { "Api-Key": KEY, ...(init.headers as object) } });

/** Checks all calls since the last check. */
async function expectInside(): Promise<void> {
  await world.settled();
  const calls = await world.calls();
  const outside = calls.filter(({ place }) => place !== "Frankfurt");
  expect(calls.filter(({ binding, marks }) => binding === "console" && marks.length > 0)).toEqual([]);
  expect(outside.filter(({ marks }) => marks.length > 0)).toEqual([]);
  expect(outside.filter(({ binding }) => !OUTSIDE.includes(binding))).toEqual([]);
  // The check would find the marks.
  expect(calls.some(({ marks }) => marks.length > 0)).toBe(true);
}

test.each(operations.map((operation) => [operation.path, operation] as const))("%s", async (path, operation) => {
  const response = await send("POST", path, { body: formOf(operation) });
  expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""]);
  await expectInside();
});

const damagedPdf = (page: string) =>
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>endobj
4 0 obj<</Length ${page.length}>>stream\n${page}\nendstream endobj\ntrailer<</Root 1 0 R>>`;

/** Engines quote these documents and names in their errors. */
const FAULTY: readonly (readonly [path: string, name: string, content: string, fields?: Record<string, string>])[] = [
  ["/pdf", "ps", `%!PS\n(${TEXT}) (${TEXT}) add\n${TEXT.replace("-", "")} showpage`],
  ["/png", "pdf", damagedPdf(`/${TEXT} gs /${TEXT} Do BT /${TEXT} 9 Tf (${TEXT}) Tj ${TEXT}`)],
  ["/linearized-pdf", "pdf", damagedPdf(`/${TEXT} gs ${TEXT}`)],
  ["/pdf", "svg", `<svg xmlns="http://www.w3.org/2000/svg"><${TEXT}>`],
  ["/zugferd-pdf", "xml", XML.toString().replace("</", `<${TEXT}></`)],
  ["/png", "pdf", damagedPdf(""), { pages: TEXT }],
  ["/pdf", "html", `<p>${TEXT}`, { wait_for_selector: `#${TEXT}` }],
];

test.each(["", "respond-async"])("documents that are rejected, %s", async (prefer) => {
  const statuses: number[] = [];
  for (const [path, extension, content, fields = {}] of FAULTY) {
    const body = new FormData();
    for (const [name, value] of Object.entries({ output: NAME, ...fields })) body.append(name, value);
    body.append("file", new File([content], `${NAME}.${extension}`));
    const response = await send("POST", path, { body, headers: prefer ? { Prefer: prefer } : {} });
    statuses.push(response.status);
  }
  await world.settled();
  await expectInside();
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
  expect(statuses).toContain(prefer ? 202 : 400);
});

test("an address that cannot be fetched", async () => {
  const body = new FormData();
  for (const [name, value] of [
    ["output", NAME],
    ["url", `https://${NAME}.invalid/${TEXT}`],
  ] as const)
    body.append(name, value);
  expect((await send("POST", "/png", { body })).status).toBe(400);
  await expectInside();
});

test("an asynchronous job, its files, their pages, and their deletion", async () => {
  const body = new FormData();
  body.append("output", NAME);
  body.append("file", new File([DOCX], `${NAME}.docx`));
  const headers = { Prefer: "respond-async", "Idempotency-Key": "once" };
  const accepted = await send("POST", "/pdf", { body, headers });
  const { requestId } = (await accepted.json()) as { readonly requestId: string };
  const { outputId } = await expect
    .poll(async () => (await send("GET", `/request-status/${requestId}`)).json(), { timeout: 90_000 })
    .toMatchObject({ status: "completed" })
    .then(async () => (await send("GET", `/request-status/${requestId}`)).json() as Promise<{ outputId: string }>);
  const paths = ["?format=file", "?format=url", "/pages/1.png"].map((suffix) => `/resource/${outputId}${suffix}`);
  for (const path of [...paths, `/iiif/${outputId}:1/info.json`, `/iiif/${outputId}:1/full/max/0/default.png`]) {
    expect([path, (await send("GET", path)).status]).toEqual([path, 200]);
  }
  expect((await send("DELETE", `/resource/${outputId}`)).status).toBe(204);
  await expectInside();
});

test("the logs of the containers", async () => {
  const lines = await world.containerLog();
  expect(lines.filter((line) => line.includes("job ended")).length).toBeGreaterThan(20);
  expect(lines.filter((line) => line.includes(NAME) || line.includes(TEXT))).toEqual([]);
});
