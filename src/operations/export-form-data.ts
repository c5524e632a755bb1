// Exports the data of a form. Yields one output.
import { OutOfRange } from "../document/contract/failure.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { readForm, readValues } from "../document/form-data/form-fields.ts";
import { FIELD_FORMATS, FORMATS, MEDIA_TYPES, XFA_FORMATS } from "../document/form-data/formats.ts";
import { writeXfaData, XfaData } from "../document/form-data/xfa-data.ts";
import { openPdf } from "../document/pages/open-pdf.ts";
import { SourceDocument } from "../document/pages/source-document.ts";

const parameters = {
  dataFormat: parameter("Format of the data: fdf, xfdf, xml or json; xfd, xdp or xml for XFA forms.", choice(FORMATS)),
};
export type ExportFormDataParams = Params<typeof parameters>;

/** @throws OutOfRange if the document has no form of this kind */
const run: Run<ExportFormDataParams> = async function* ([input], { dataFormat }, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: true });
  const form = readForm(new SourceDocument(pdf.file));
  const xfa = form && XfaData.of(pdf.file, form.dictionary);
  const values = form ? readValues(form) : [];
  const valid = [...(values.length > 0 ? Object.keys(FIELD_FORMATS) : []), ...(xfa ? XFA_FORMATS : [])];
  if (!valid.includes(dataFormat)) throw new OutOfRange("dataFormat", dataFormat, reasonOf(valid));
  const xfaFormat = xfa && XFA_FORMATS.find((format) => format === dataFormat);
  const body = xfaFormat
    ? writeXfaData(xfa.data, xfaFormat, input!.name)
    : FIELD_FORMATS[dataFormat]!(values, input!.name);
  yield { extension: dataFormat, type: MEDIA_TYPES[dataFormat], body };
};

const reasonOf = (valid: readonly string[]): string =>
  valid.length === 0
    ? "The document has no form with values."
    : `Valid for the form of the document: ${[...new Set(valid)].join(", ")}.`;

export const exportFormData = defineOperation({ name: "export-form-data", parameters, run });
