// Copies a page of another PDF to a form XObject, which any number of pages can show.

import { inverse } from "../content/matrix.ts";
import { contentOf } from "../content/page-content.ts";
import type { Context } from "../contract/operation.ts";
import { Copier } from "../objects/copier.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference } from "../objects/values.ts";
import { type OpenPdf, openPdf } from "../pages/open-pdf.ts";
import { type PageSize, pageSize, shownSpace, visibleBox } from "../pages/page-size.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { flattenLayers } from "./flatten-layers.ts";

export interface PageForm {
  /** The form in points, with its origin at the lower left corner of the page as it is shown. */
  readonly reference: Reference;
  readonly size: PageSize;
}

/**
 * Copies the first page, without its annotations and hidden layers.
 * @param engineShare fraction of the job's memory for the engine that reads the page
 * @throws EngineFailure the failure of the document
 */
export async function addPageForm(
  pdf: OpenPdf,
  bytes: Uint8Array,
  context: Pick<Context, "heapLimitBytes" | "signal">,
  engineShare: number,
): Promise<PageForm> {
  const { file, budget } = pdf;
  using other = await openPdf(bytes, context, { budget, engineShare });
  await flattenLayers(other.file, context.signal);
  const first = readPages(other.file).pages[0]!;
  const page = pageDictionary(other.file, first);
  const size = file.size;
  const copier = Copier.between(other.file, file);
  const content = contentOf(other.file, page.get("Contents"));
  budget.charge(content.length);
  const reference = file.add(
    new PdfStream(
      Dictionary.of({
        ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [...visibleBox(other.file, page)] },
        Matrix: [...inverse(shownSpace(other.file, page))!],
        Group: Dictionary.of({ Type: Name.of("Group"), S: Name.of("Transparency") }),
        Resources: copier.value(page.get("Resources") ?? new Dictionary()),
      }),
      plainBody(content),
    ),
  );
  while (copier.step()) context.signal.throwIfAborted();
  // Reads all stream bodies now, because the engine can read them only while their document is open.
  for (let number = size; number < file.size; number++) {
    const stream = file.stream(new Reference(number));
    if (!stream || number === reference.number) continue;
    const body = stream.body.raw();
    budget.charge(body.length);
    file.put(new Reference(number), new PdfStream(stream.dictionary, plainBody(body)));
  }
  return { reference, size: pageSize(other.file, first) };
}
