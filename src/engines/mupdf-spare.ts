// An engine made while nobody waits, so that the next job finds one that is ready. Knows no job.
import { Mupdf, type MupdfOptions } from "./mupdf.ts";
import { MupdfDocument } from "./mupdf-document.ts";
import { MupdfPage } from "./mupdf-page.ts";

/**
 * What nearly every page needs and a fresh engine has not: color transforms to RGB (of gray, of RGB), a standard font. Drawing
 * this takes 5 ms and saves a page 10. Its cross-reference table is left out: MuPDF finds the few objects without.
 */
const FIRST_PAGE = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 66>>stream
.5 g 0 0 3 3 re f 1 0 0 rg 3 3 3 3 re f BT /F 3 Tf 0 g (a) Tj ET  
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>`;

let spare: Mupdf | undefined;

/** The spare engine, or a new one. No engine meets the documents of two jobs. */
export async function takeMupdf(options: MupdfOptions): Promise<Mupdf> {
  const taken = spare;
  spare = undefined;
  if (!taken) return Mupdf.create(options);
  taken.limit(options);
  return taken;
}

/** Sees to it that there is a spare engine: worth its 22 MiB where the next job is to be quick. */
export async function prepareSpare(options: MupdfOptions): Promise<void> {
  if (spare) return;
  const engine = await Mupdf.create(options);
  const page = new MupdfPage(MupdfDocument.open(engine, new TextEncoder().encode(FIRST_PAGE), options), 0);
  for (const _ of page.raster({ colorModel: "rgb", dpi: 72 }).bands());
  page.close();
  spare = engine;
}
