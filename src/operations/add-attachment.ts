// Attaches a file to a PDF. Yields one output.
import * as z from "zod";
import { EngineFailure } from "../document/contract/failure.ts";
import { detectMediaType } from "../document/contract/media-type.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { type Kind, optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { text } from "../document/contract/parameters/text.ts";
import { attachFile } from "../document/pages/attached-files.ts";
import { metadataOf } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

/** Values of AFRelationship (ISO 19005-3, annex E) by parameter value. */
const RELATIONSHIPS = {
  unspecified: "Unspecified",
  source: "Source",
  data: "Data",
  alternative: "Alternative",
  supplement: "Supplement",
} as const;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,63}\/[\w!#$&^.+-]{1,63}$/;
const mediaType: Kind<string> = {
  ...text({ max: 127 }),
  value: z.string().regex(MEDIA_TYPE),
  schema: { type: "string", pattern: MEDIA_TYPE.source },
};

const parameters = {
  description: optional("Text that viewers show beside the name.", text({ max: 1000 })),
  mimeType: optional("Media type of the file; by default, it follows from the content and the name.", mediaType),
  relationship: parameter(
    "The purpose of the file for the document.",
    choice(Object.keys(RELATIONSHIPS) as (keyof typeof RELATIONSHIPS)[]),
    "unspecified",
  ),
};
export type AddAttachmentParams = Params<typeof parameters>;

/** The levels that allow attachments of any type. */
const ALLOWING = /^PDF\/A-(3|4[ef])/;

/** @throws EngineFailure `attachments-forbidden` if the document declares another PDF/A */
const run = pdfToPdf<AddAttachmentParams>(async ({ file }, params, { others: [attached] }) => {
  const { description, mimeType, relationship } = params;
  const level = metadataOf({ file }).claims.get("PDF/A");
  if (level !== undefined && !ALLOWING.test(level)) {
    throw new EngineFailure("attachments-forbidden", level, { feature: level });
  }
  const { name, modified = new Date() } = attached!;
  const bytes = await attached!.bytes();
  const type = mimeType ?? detectMediaType(bytes, name);
  attachFile(file, { name, bytes, type, modified, description, relationship: RELATIONSHIPS[relationship] });
});

export const addAttachment = defineOperation({ name: "add-attachment", parameters, run });
