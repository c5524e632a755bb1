// Creates engines ahead of time, so that the next job finds one ready.

import { MupdfDocument } from "../document.ts";
import { MupdfPage } from "../page.ts";
import { Mupdf, type MupdfOptions } from "./mupdf.ts";

/**
 * A document whose page makes a new engine create objects that nearly every page needs: color transforms to RGB, and a
 * standard font. Transforms from CMYK take 30 ms. The document has no cross-reference table, because MuPDF finds its few
 * objects without one.
 */
const firstPage = (entries: string, objects: string) => `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R${entries}>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length ${CONTENT.length}>>stream
${CONTENT}
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
${objects}trailer<</Root 1 0 R>>`;
const CONTENT = `.5 g 0 0 3 3 re f 1 0 0 rg 3 3 3 3 re f 0 0 0 1 k 6 6 3 3 re f BT /F 3 Tf 0 g (a) Tj ET
q 3 0 0 3 3 0 cm BI /W 1 /H 1 /BPC 8 /CS /CMYK /F /AHx ID 000000FF> EI Q`;

const spares: Mupdf[] = [];
/** True once an engine's memory has become the start of later ones. */
let isShared = false;
/** Number of engines requested so far. */
let asked = 0;

/** Returns a spare engine, or a new one. An engine never serves two jobs. */
export async function acquireMupdf(options: MupdfOptions): Promise<Mupdf> {
  asked++;
  const taken = spares.pop();
  if (!taken) return Mupdf.create(options);
  taken.limit(options);
  return taken;
}

/**
 * Creates spare engines of 22 MiB each for the next job. Stops as soon as that job starts.
 * @param count number of engines
 * @param rgbProfile the profile of the documents' output intent; creating its color transform takes most of the time.
 * @default none
 */
export async function prepareSpare(options: MupdfOptions, count = 1, rgbProfile?: Uint8Array): Promise<void> {
  const before = asked;
  if (!isShared) await share(options);
  while (spares.length < count && asked === before) {
    const engine = await Mupdf.create(options);
    if (rgbProfile) draw(engine, options, pageWithIntent(rgbProfile));
    spares.push(engine);
    if (spares.length < count) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Draws the first page in an engine, with which later engines start. */
async function share({ heapLimitBytes }: MupdfOptions): Promise<void> {
  isShared = true;
  const options = { heapLimitBytes };
  const engine = await Mupdf.create(options);
  draw(engine, options, firstPage("", ""));
  await engine.shareMemory();
  engine.close();
}

function draw(engine: Mupdf, options: MupdfOptions, pdf: string): void {
  const document = MupdfDocument.open(engine, new TextEncoder().encode(pdf), options);
  const page = new MupdfPage(document, 0);
  for (const _ of page.raster({ colorModel: "rgb", dpi: 72 }).bands());
  page.close();
  document.leave();
  // Messages about this page must not be attributed to the job's document.
  engine.messageCount = 0;
}

function pageWithIntent(profile: Uint8Array): string {
  const hex = `${Buffer.from(profile).toString("hex")}>`;
  const intent = "/OutputIntents[<</S/GTS_PDFA1/OutputConditionIdentifier()/DestOutputProfile 6 0 R>>]";
  const stream = `6 0 obj<</N 3/Filter/ASCIIHexDecode/Length ${hex.length}>>stream\n${hex}\nendstream endobj\n`;
  return firstPage(intent, stream);
}
