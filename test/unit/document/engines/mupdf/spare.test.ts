// Tests the spare engine, which is created before its job arrives.
import { expect, test } from "vitest";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { acquireMupdf, prepareSpare } from "../../../../../src/document/engines/mupdf/instance/spare.ts";
import { MupdfPage } from "../../../../../src/document/engines/mupdf/page.ts";
import { textPdf } from "../../../../fixtures/pdfs.ts";
import { onePage } from "../../../../support/hostile-pdfs.ts";

const LIMITS = { heapLimitBytes: 88 * 2 ** 20 };
const INKS = "0 .2 .9 .1 k 0 0 99 99 re f BI /W 1 /H 1 /BPC 8 /CS /CMYK /F /AHx ID 80402010> EI";

test("a spare engine draws as a new one, with less work, and holds nothing of the document before", async () => {
  const fresh = await drawn();
  await prepareSpare(LIMITS);
  const spare = await drawn();
  expect(spare.samples).toEqual(fresh.samples);
  expect(spare.work).toBeLessThan(fresh.work / 5);
  const next = await acquireMupdf(LIMITS);
  expect(Buffer.from(next.raw.HEAPU8.buffer).includes(INKS.slice(0, 20))).toBe(false);
  next.close();
});

test("a spare engine says nothing of a sound document that a fresh one does not say", async () => {
  await prepareSpare(LIMITS);
  const document = MupdfDocument.open(await acquireMupdf(LIMITS), await textPdf(1), LIMITS);
  expect(document.messageCount).toBe(0);
  document.close();
});

/** Draws inks in the next engine. Returns the pixels, and the fuel that the engine used. */
async function drawn() {
  const engine = await acquireMupdf(LIMITS);
  const run = engine.run.bind(engine);
  let work = 0;
  engine.run = (code, tank = engine.tank()) => {
    const { fuel } = tank;
    const result = run(code, tank);
    work += fuel - tank.fuel;
    return result;
  };
  const document = MupdfDocument.open(engine, onePage(INKS), LIMITS);
  const page = new MupdfPage(document, 0);
  const samples = Array.from(page.raster({ colorModel: "rgb", dpi: 18 }).bands(), (band) => band.samples.slice());
  document.close();
  return { samples, work };
}
