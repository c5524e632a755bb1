// Checks what the world records of the calls of the service, and that it can cut a place off.
import { afterAll, beforeAll, expect, test } from "vitest";
import { docx, paragraph } from "../../fixtures/office.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { startWorld, type World } from "../../support/world/world-service.ts";

const NAME = "name-93ab41";
const TEXT = "text-5d20fe";

let world: World;
beforeAll(async () => {
  world = await startWorld({ variant: "private", engines: ["office", "threads"] });
  await world.watch(NAME, TEXT);
});
afterAll(() => world?.[Symbol.asyncDispose]());

const post = (path: string, fields: Readonly<Record<string, string>>, file?: File) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  if (file) body.append("file", file);
  return world.fetch("Sydney", path, { method: "POST", body, headers: { Accept: "application/json" } });
};
const html = () => post("/html", { output: NAME, content: `<p>${TEXT}` });

/** Returns the calls with a mark since the last question: resource and places, each once. */
async function marked(): Promise<readonly string[]> {
  const found = (await world.calls()).filter(({ marks }) => marks.length > 0);
  return [...new Set(found.map(({ binding, from, place }) => `${binding}, ${from} to ${place}`))].toSorted();
}

test("a stored file: its name and text are in the bucket alone", async () => {
  expect((await html()).status).toBe(200);
  expect(await marked()).toEqual(["FILES, Sydney to Frankfurt"]);
});

test("a document in the container: its text is in a ZIP file in a stream", async () => {
  const file = new File([new Uint8Array(docx({ body: paragraph(TEXT) }))], "a.docx");
  expect((await post("/pdf", { output: "made" }, file)).status).toBe(200);
  expect(await marked()).toEqual([
    "CONTAINER, Sydney to Frankfurt",
    "FILES, Sydney to Frankfurt",
    "container, Frankfurt to Frankfurt",
  ]);
});

test("a tile by URL: it is in the cache of the reader's city", async () => {
  const file = new File([new Uint8Array(await textPdf(1))], "a.pdf");
  const stored = await post("/merged-pdf", { output: NAME, "type[]": "file", "pages[]": "1" }, file);
  const { outputId } = (await stored.json()) as { readonly outputId: string };
  await world.calls();
  const page = await world.fetch("Singapore", `/iiif/${outputId}:1/0,0,512,512/512,512/0/default.png`);
  expect(page.status).toBe(200);
  await world.settled();
  const cached = (await world.calls()).filter(({ binding }) => binding === "cache");
  expect(new Set(cached.map(({ method, place }) => `${method} ${place}`))).toEqual(
    new Set(["match Singapore", "put Singapore"]),
  );
});

test("calls to a place that is cut off are rejected until it is restored", async () => {
  const restore = await world.cut("Frankfurt", "reject");
  expect((await html()).status).toBeGreaterThanOrEqual(500);
  await restore();
  expect((await html()).status).toBe(200);
});

test("calls to a place that hangs wait until it is restored", async () => {
  const restore = await world.cut("Frankfurt", "hang");
  const order: string[] = [];
  const waiting = html().then(({ status }) => order.push(`stored: ${status}`));
  await world.settled();
  order.push("restored");
  await restore();
  await waiting;
  expect(order).toEqual(["restored", "stored: 200"]);
});
