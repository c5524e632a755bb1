// Processes a sample after the start. This compiles code in a thread and in the validator, so that the first documents
// are nearly as fast as later ones.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parsePages } from "../../src/document/contract/pages.ts";
import { linearizePdf } from "../../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { rasterizePdf } from "../../src/operations/rasterize-pdf.ts";
import type { ConversionEngines } from "../pdfa/conversion-context.ts";
import { type JobThreads, threadJob } from "../processes/thread-job.ts";
import { fileInput } from "../scratch/file-input.ts";
import { convertToPdfa } from "./pdf-to-pdfa.ts";

const ROUNDS = 4;

/**
 * A sample with the features of most documents: fonts that are not embedded, colors, an image, a gradient,
 * transparency, a link, a form field and a bookmark. It needs no cross-reference table, because the objects are found
 * without one.
 */
const DOCUMENT = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[9 0 R]/DA(/F 9 Tf 0 g)/DR<</Font<</F 5 0 R>>>>>>/Outlines 12 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Annots[8 0 R 9 0 R]/Group<</S/Transparency/CS/DeviceRGB>>
/Resources<</Font<</F 5 0 R/G 6 0 R/H 7 0 R>>/XObject<</I 10 0 R/X 11 0 R>>/ExtGState<</E<</ca .5/BM/Multiply>>>>
/Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 99 0]/Function<</FunctionType 2/N 1/Domain[0 1]/C0[1 0 0]/C1[0 0 1]>>>>>>>>>>endobj
4 0 obj<</Length 310>>stream
BT /F 12 Tf 20 170 Td (Regular text, as in letters.) Tj /G 12 Tf 0 -20 Td [(Bold)-9(face)] TJ /H 9 Tf 0 -20 Td (a \\326) Tj ET
q .2 .4 .6 rg 20 20 50 50 re f Q q 0 0 1 RG 1.5 w 20 90 m 50 99 80 99 99 90 c S Q
q 60 0 0 60 100 20 cm /I Do Q q /E gs 0 .5 0 rg 120 40 60 60 re f Q q 180 20 60 60 re W n /S sh Q /X Do
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
6 0 obj<</Type/Font/Subtype/TrueType/BaseFont/Arial,Bold/Encoding/WinAnsiEncoding/FirstChar 66/LastChar 68/Widths[722 722 722]>>endobj
7 0 obj<</Type/Font/Subtype/Type1/BaseFont/Symbol>>endobj
8 0 obj<</Type/Annot/Subtype/Link/Rect[20 160 90 180]/A<</S/URI/URI(http://example.com)>>>>endobj
9 0 obj<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/V(value)/DA(/F 9 Tf 0 g)/Rect[200 150 280 170]>>endobj
10 0 obj<</Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceRGB/Length 12>>stream
abcdefghijkl
endstream endobj
11 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>>>/Length 34>>stream
BT /F 5 Tf 0 g 1 1 Td (form) Tj ET
endstream endobj
12 0 obj<</Type/Outlines/First 13 0 R/Last 13 0 R/Count 1>>endobj
13 0 obj<</Title(Chapter)/Parent 12 0 R/Dest[3 0 R/Fit]>>endobj
14 0 obj<</Title(Document)/Author(Nobody)/CreationDate(D:20200101000000Z)>>endobj
trailer<</Root 1 0 R/Info 14 0 R>>`;

/**
 * Merges, linearizes and draws the sample in a thread.
 * @param folder for the sample
 */
export async function warmUpThread(
  { threads, heapLimitBytes }: { readonly threads: JobThreads; readonly heapLimitBytes: number },
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const path = join(folder, "sample.pdf");
  await writeFile(path, DOCUMENT, "latin1");
  const sample = fileInput("sample.pdf", DOCUMENT.length, path);
  const pages = parsePages("1")!;
  const drawing = { format: "png", pages, dpi: 72, colorModel: "rgb" } as const;
  const jobs = [
    threadJob(mergePdfs, [sample, sample], { pages: [pages, pages] }, heapLimitBytes),
    threadJob(linearizePdf, [sample], {}, heapLimitBytes),
    threadJob(rasterizePdf, [sample], drawing, heapLimitBytes),
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const job of jobs) for await (const _ of threads.run(job, signal, () => {}));
  }
}

/** @param folder for the sample's files */
export async function warmUp(engines: ConversionEngines, folder: string, signal: AbortSignal): Promise<void> {
  let pdf: Uint8Array = Buffer.from(DOCUMENT, "latin1");
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `round-${round}.pdf`);
    await writeFile(path, pdf);
    const inputs = [fileInput("sample.pdf", pdf.length, path)];
    const job = { inputs, folder, signal, log: () => {}, withoutPermit: <T>(work: () => Promise<T>) => work() };
    // The next round repairs this output, which now has embedded fonts, for another level.
    const level = { part: 2, conformance: round % 2 === 0 ? "b" : "u" } as const;
    for await (const { body } of convertToPdfa(engines, { level, rasterize: false }, job)) {
      if (body instanceof Uint8Array) pdf = body;
    }
  }
}
