// Reserves the rights of text and data mining of a PDF (TDM Reservation Protocol, "TDM Metadata in PDF files"). Yields one
// output.
import * as z from "zod";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { type Kind, type Params, parameter } from "../document/contract/parameter.ts";
import { text } from "../document/contract/parameters/text.ts";
import { parseWebUrl } from "../document/contract/web-url.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import { writeMetadata } from "../document/metadata/write-metadata.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import type { OwnSchema } from "../document/pdfa/metadata/extension-schemas.ts";

const TDM: OwnSchema = {
  uri: "http://www.w3.org/ns/tdmrep/",
  prefix: "tdm",
  title: "TDM Reservation Protocol",
  properties: {
    reservation: { type: "Integer", description: "1 if the rights of text and data mining are reserved" },
    policy: { type: "URI", description: "URL of the policy by which the rights can be acquired" },
  },
};

const webUrl: Kind<string> = {
  ...text({ max: LIMITS.addressLength }),
  value: z.string().refine((given) => parseWebUrl(given) !== undefined),
  schema: { type: "string", format: "uri", maxLength: LIMITS.addressLength },
};

const parameters = { policy: parameter("URL of the policy by which the rights can be acquired.", webUrl) };
export type ReserveMiningParams = Params<typeof parameters>;

const run = pdfToPdf<ReserveMiningParams>(async (pdf, { policy }, context) => {
  const schemas = [{ schema: TDM, values: { reservation: "1", policy: parseWebUrl(policy)! } }];
  const entries = new Map([["ModDate", new Date().toISOString()]] as const);
  const changes = { entries, custom: new Map(), schemas };
  pdf.notices.push(...writeMetadata(pdf.file, new DocumentFacts(pdf, context), changes));
});

export const reserveMining = defineOperation({ name: "reserve-mining", parameters, run });
