// Tests the delivery of outputs to an address: what the receiver gets, retries, errors, and that nothing is kept.
// Contract: docs/api.md#delivery-to-an-address
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { sendForm } from "../support/foreign-client.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { type Service, startService } from "../support/service.ts";
import { type Ear, openEar, type Site, startSite } from "../support/web.ts";

interface Delivery {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

const SECRET = "X-Amz-Signature=0123456789abcdef";
const folder = mkdtempSync(join(tmpdir(), "output-url-test-"));
const deliveries: Delivery[] = [];
/** Statuses of the next responses; 200 for all others. */
const statuses: number[] = [];
let site: Site;
let ear: Ear;
let container: ContainerProcess;
let service: Service;

beforeAll(async () => {
  ear = await openEar();
  site = await startSite((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      // The tests themselves look at each outputUrl.
      if (method === "GET") return void response.end();
      deliveries.push({ method, url, headers, body: Buffer.concat(chunks) });
      response.writeHead(statuses.shift() ?? 200, { Location: `http://127.0.0.1:${ear.port}/` }).end();
    });
  });
  container = await startContainer({
    logFile: join(folder, "container.log"),
    env: { ENGINES: "chromium,threads", URL_ALLOW: `127.0.0.1:${site.port}` },
  });
  service = await startService({
    variant: "private",
    container,
    vars: { FORM_SECRET: crypto.randomUUID(), GOTENBERG_ROUTES: "on" },
  });
}, 600_000);
afterAll(async () => {
  await service?.stop();
  await container?.stop();
  for (const started of [site, ear]) await started?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const file = (...texts: string[]) => upload(plainPdf(...texts), "report.pdf");
const address = (name: string) => `${site.url}/bucket/${name}?${SECRET}`;
const post = (path: string, fields: Parameters<ReturnType<typeof createClient>["post"]>[1]) =>
  createClient(service.url).post(path, fields);

test("spec: the output is sent with its size and type, and not kept; the response has no part of the query", async () => {
  const { status, body } = await post("/rotated-pdf", {
    file: file("First"),
    angle: "90",
    output_url: address("a.pdf"),
  });
  const [{ method, url, headers, body: sent }] = deliveries.splice(0) as [Delivery];
  expect([method, url]).toEqual(["PUT", `/bucket/a.pdf?${SECRET}`]);
  expect(headers).toMatchObject({ "content-type": "application/pdf", "content-length": String(sent.length) });
  expect(pageTexts(new Uint8Array(sent)).map((text) => text.trim())).toEqual(["First"]);
  const { inputId, ...others } = body;
  expect([status, others]).toEqual([200, { outputUrl: `${site.url}/bucket/a.pdf`, outputSize: sent.length }]);
  expect(JSON.stringify(body)).not.toContain("Signature");
  expect((await fetch(`${service.url}/resource/${String(inputId)}?format=info`)).status).toBe(200);
});

test("spec: several outputs are one archive, also those of steps", async () => {
  const fields = { output: "page", resolution: "12", output_url: address("pages.zip") };
  const { body } = await post("/png", { file: file("First", "Second"), ...fields });
  const steps = JSON.stringify([{ "rotated-pdf": { angle: 90 } }, { "split-pdf": { pages: ["1", "2"] } }]);
  const ofSteps = await post("/steps", { file: file("First", "Second"), steps, output_url: address("steps.zip") });
  expect([body.outputUrl, ofSteps.body.outputUrl]).toEqual([
    `${site.url}/bucket/pages.zip`,
    `${site.url}/bucket/steps.zip`,
  ]);
  for (const { headers, body: archive } of deliveries.splice(0)) {
    expect([headers["content-type"], archive.toString("latin1", 0, 2)]).toEqual(["application/zip", "PK"]);
  }
});

test("spec: a second attempt after 503; other statuses and redirects are errors", async () => {
  statuses.push(503);
  const angle = { angle: "90", output_url: address("b.pdf") };
  expect((await post("/rotated-pdf", { file: file("First"), ...angle })).status).toBe(200);
  expect(deliveries.splice(0).map(({ method }) => method)).toEqual(["PUT", "PUT"]);
  for (const wrong of [403, 307]) {
    statuses.push(wrong);
    const { status, body } = await post("/rotated-pdf", { file: file("First"), ...angle });
    expect([status, body.error]).toEqual([422, `The output could not be delivered to output_url: status ${wrong}.`]);
  }
  expect([deliveries.splice(0).length, ear.count]).toEqual([2, 0]);
});

test.each(["ftp://example.com/a", "http://user:pass@example.com/a", "no address"])("400 for %s", async (url) => {
  const { status, body } = await post("/rotated-pdf", { file: file("First"), angle: "90", output_url: url });
  expect([status, body.error]).toEqual([400, expect.stringMatching(/^The value is not within .* for output_url\./)]);
});

test("400 for an address in a step", async () => {
  const steps = JSON.stringify([{ "rotated-pdf": { angle: 90, output_url: address("d.pdf") } }]);
  const { status, body } = await post("/steps", { file: file("First"), steps });
  expect([status, body.error]).toEqual([400, expect.stringContaining("output_url")]);
  expect([JSON.stringify(body).includes("Signature"), deliveries.length]).toEqual([false, 0]);
});

test("no private address is contacted, and the error does not quote it", async () => {
  const url = `http://127.0.0.1:${ear.port}/a?${SECRET}`;
  const { status, body } = await post("/rotated-pdf", { file: file("First"), angle: "90", output_url: url });
  expect([status, body.error]).toEqual([
    400,
    expect.stringMatching(/^The value is not within .* for output_url\. It leads/),
  ]);
  expect(ear.count).toBe(0);
});

test("an asynchronous job delivers, too, and the address is in no log", async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ file: file("First"), angle: "90", output_url: address("c.pdf") }))
    form.append(name, value);
  const accepted = await fetch(`${service.url}/rotated-pdf`, {
    ...{ method: "POST", body: form, headers: { Prefer: "respond-async" } },
  });
  const { requestId } = (await accepted.json()) as { requestId: string };
  const done = await eventually(async () => {
    const answer = await (await fetch(`${service.url}/request-status/${requestId}`)).json();
    const { status } = answer as { status: string };
    expect(status).toBe("completed");
    return answer;
  });
  expect(done).toMatchObject({ outputUrl: `${site.url}/bucket/c.pdf` });
  expect(deliveries.splice(0)).toHaveLength(1);
  expect(readFileSync(join(folder, "container.log"), "utf8")).not.toContain("Signature");
});

// Contract: docs/gotenberg.md#the-routes-of-version-8
test("a webhook of Gotenberg's clients gets the file, or the error", async () => {
  const rotate = (name: string, more: Readonly<Record<string, string>> = {}) =>
    sendForm(
      `${service.url}/forms/pdfengines/rotate`,
      [
        ["files", name === "a.pdf" ? file("Turned") : upload("no PDF", name)],
        ["rotateAngle", "90"],
      ],
      {
        ...{ "Gotenberg-Webhook-Url": `${site.url}/file`, "Gotenberg-Webhook-Error-Url": `${site.url}/error` },
        ...{ "Gotenberg-Trace": "t1", "Gotenberg-Webhook-Extra-Http-Headers": '{"X-Extra":"yes"}', ...more },
      },
    );
  const accepted = await rotate("a.pdf");
  expect([accepted.status, accepted.text, accepted.headers["gotenberg-trace"]]).toEqual([204, "", "t1"]);
  await eventually(() => expect(deliveries).toHaveLength(1));
  const [{ method, url, headers, body }] = deliveries.splice(0) as [Delivery];
  expect([method, url, pageTexts(new Uint8Array(body)).map((text) => text.trim())]).toEqual([
    "POST",
    "/file",
    ["Turned"],
  ]);
  expect(headers).toMatchObject({
    ...{ "content-type": "application/pdf", "content-disposition": "attachment; filename=report.pdf" },
    ...{ "gotenberg-trace": "t1", "x-extra": "yes" },
  });
  expect((await rotate("b.pdf", { "Gotenberg-Webhook-Error-Method": "PUT" })).status).toBe(204);
  await eventually(() => expect(deliveries).toHaveLength(1));
  const [failed] = deliveries.splice(0) as [Delivery];
  expect([failed.method, failed.url]).toEqual(["PUT", "/error"]);
  expect(JSON.parse(failed.body.toString())).toEqual({
    status: 400,
    message: "The input file is damaged or is not a PDF.",
  });
  expect((await rotate("a.pdf", { "Gotenberg-Webhook-Error-Url": "" })).text).toMatch(/^At least one of/);
});
