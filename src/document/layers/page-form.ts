// Copies a page of another PDF to a form XObject, which any number of pages can show.

import { inverse } from "../content/matrix.ts";
import { contentOf } from "../content/page-content.ts";
import type { Context } from "../contract/operation.ts";
import type { Budget } from "../objects/budget.ts";
import { Copier } from "../objects/copier.ts";
import { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference } from "../objects/values.ts";
import { openPdf } from "../pages/open-pdf.ts";
import { type PageSize, pageSize, shownSpace, visibleBox } from "../pages/page-size.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { flattenLayers } from "./flatten-layers.ts";

/** A page as a form in a file of its own, in memory. */
export interface PageForm {
  readonly file: PdfFile;
  /** The form in points, with its origin at the lower left corner of the page as it is shown. */
  readonly reference: Reference;
  readonly size: PageSize;
}

interface FormOptions {
  /** Memory for the form. */
  readonly budget: Budget;
  /** True if the form is drawn with an opacity. */
  readonly isFaded: boolean;
}

/**
 * Reads the first page, without its annotations and hidden layers. The engine that reads it is closed afterwards.
 * @throws EngineFailure the failure of the document
 */
export async function readPageForm(
  bytes: Uint8Array,
  context: Pick<Context, "heapLimitBytes" | "signal">,
  { budget, isFaded }: FormOptions,
): Promise<PageForm> {
  using other = await openPdf(bytes, context, { budget });
  await flattenLayers(other.file, context.signal);
  const first = readPages(other.file).pages[0]!;
  const page = pageDictionary(other.file, first);
  const file = PdfFile.create(budget);
  const copier = Copier.between(other.file, file);
  // As a group, the page fades as a whole.
  const group = page.get("Group") ?? (isFaded ? Dictionary.of({ S: Name.of("Transparency") }) : undefined);
  const content = contentOf(other.file, page.get("Contents"));
  const entries = Dictionary.of({
    ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [...visibleBox(other.file, page)] },
    Matrix: [...inverse(shownSpace(other.file, page))!],
    Group: group === undefined ? undefined : copier.value(group),
    Resources: copier.value(page.get("Resources") ?? new Dictionary()),
  });
  const reference = file.add(new PdfStream(entries, plainBody(content)));
  while (copier.step()) context.signal.throwIfAborted();
  budget.charge(file.readBodies());
  return { file, reference, size: pageSize(other.file, first) };
}

/** Copies a form to a document. */
export function copyForm({ file, reference }: PageForm, target: PdfFile, signal: AbortSignal): Reference {
  const copier = Copier.between(file, target);
  const copied = copier.value(reference) as Reference;
  while (copier.step()) signal.throwIfAborted();
  return copied;
}
