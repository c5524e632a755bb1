// Finds the pages of a PDF that only show images, whose text can be recognized.
import { EngineFailure } from "../../document/contract/failure.ts";
import type { Context, Input } from "../../document/contract/operation.ts";
import { type PageSelection, resolvePages } from "../../document/contract/pages.ts";
import { isImageOnly } from "../../document/facts/shown-content.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { readPages } from "../../document/pages/pages.ts";

/** Value of a parameter that makes an operation refuse scans. Another value has the pages that were recognized. */
export const REFUSED = "refused";

/**
 * Reads the contents of pages up to their first text.
 * @throws EngineFailure `scanned` with the pages, if there are some. A document that cannot be opened has none.
 */
export async function refuseScans(input: Input, selection: PageSelection, context: Context): Promise<void> {
  const found = await scannedPages(input, selection, context).catch((error: unknown) => {
    if (error instanceof EngineFailure) return [];
    throw error;
  });
  if (found.length === 0) return;
  throw new EngineFailure("scanned", `${found.length} pages have no text`, { feature: found.join(",") });
}

async function scannedPages(input: Input, selection: PageSelection, context: Context): Promise<readonly number[]> {
  using pdf = await openPdf(await input.bytes(), context, { asIs: true, inPasses: true });
  const { pages } = readPages(pdf.file);
  const found: number[] = [];
  for (const number of new Set(resolvePages(selection, pages.length))) {
    const source = { file: pdf.file, pages: [pages[number - 1]!], signal: context.signal };
    if (await isImageOnly(source)) found.push(number);
  }
  return found;
}
