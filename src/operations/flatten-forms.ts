// Draws form fields into the content of their pages, and removes the form. Yields one output.
import { drawAnnotations } from "../document/annotations/draw-annotations.ts";
import { removeFormActions } from "../document/annotations/form-actions.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

/** @throws EngineFailure `unsupported` for a form that only an XFA processor can lay out */
const run = pdfToPdf<object>(
  async (pdf, _, { typefaces, signal }) => {
    const { file } = pdf;
    const form = file.dictionary(file.catalog.get("AcroForm"));
    const isDynamic = form?.has("XFA") && (file.array(form.get("Fields")) ?? []).length === 0;
    const feature = "dynamic XFA";
    if (isDynamic || file.boolean(file.catalog.get("NeedsRendering")))
      throw new EngineFailure("unsupported", feature, { feature });
    const notices = [...(await drawAnnotations(pdf, { isChosen: (type) => type === "Widget", typefaces, signal }))];
    if (form) notices.push(...(await removeFormActions(file, signal)));
    // Signatures are counted in the form, so the form is removed last.
    pdf.unprotect();
    pdf.notices.push(...notices);
    const catalog = file.catalog.clone();
    catalog.delete("AcroForm");
    file.catalog = catalog;
  },
  { asIs: true },
);

export const flattenForms = defineOperation({ name: "flatten-forms", parameters: {}, run });
