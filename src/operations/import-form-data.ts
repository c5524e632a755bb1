// Fills a form with data. Yields one output.
import { OutOfRange } from "../document/contract/failure.ts";
import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { optional, type Params } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { JSON_VALUES, valuesOf } from "../document/form-data/fields-json.ts";
import { FormFiller } from "../document/form-data/fill-fields.ts";
import { readForm } from "../document/form-data/form-fields.ts";
import { readFormData } from "../document/form-data/formats.ts";
import { boundValues } from "../document/form-data/xfa-binding.ts";
import { XfaData } from "../document/form-data/xfa-data.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { removeXfa } from "../document/pages/parts/forms/put-form.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { xfaNotices } from "../document/pages/unprotect.ts";

const parameters = {
  data: optional(
    "JSON with the values by the names of the fields, instead of a data file.",
    json(JSON_VALUES, { name: "FormData" }),
  ),
};
export type ImportFormDataParams = Params<typeof parameters>;

/** @throws OutOfRange if the data is unreadable, or is not for the form of the document */
const run = pdfToPdf<ImportFormDataParams>(async (pdf, { data }, { others: [dataFile], typefaces, signal }) => {
  const { file, notices } = pdf;
  const sent = dataFile ? readFormData(await dataFile.bytes(), dataFile.name) : { values: valuesOf(data!) };
  const refuse = (why: string) =>
    dataFile ? new OutOfRange("data_file", dataFile.name, why) : new OutOfRange("data", JSON.stringify(data), why);
  const source = new SourceDocument(file);
  const form = readForm(source);
  if (!form) throw refuse("The document has no form.");
  const xfa = XfaData.of(file, form.dictionary);
  const filler = new FormFiller(source, form);
  if ("elements" in sent) {
    if (!xfa) throw refuse("The form of the document is no XFA form.");
    xfa.replace(sent.elements);
    filler.set(boundValues(form, xfa.data!));
    notices.push(...countedNotices("xfa-not-drawn", Number(form.fields.length === 0)));
  } else {
    if (filler.set(sent.values) === 0 && sent.values.length > 0)
      throw refuse("The form has no field with one of its names.");
    // XFA data would replace the values of the fields in viewers of XFA.
    if (xfa) {
      notices.push(...xfaNotices(file));
      removeXfa(file);
    }
  }
  await filler.draw(pdf, typefaces, signal);
  notices.push(...filler.notices(), ...withdrawClaims(file, (family) => family !== "PDF/UA"));
});

export const importFormData = defineOperation({ name: "import-form-data", parameters, run });
