// Embeds a file in a PDF/A-3. Yields one output.
import * as z from "zod";
import { detectMediaType } from "../../document/contract/media-type.ts";
import { defineOperation } from "../../document/contract/operation.ts";
import { DocumentFacts } from "../../document/facts/document-facts.ts";
import { embedInvoice } from "../../document/invoices/embed-invoice.ts";
import { PROFILES } from "../../document/invoices/profiles.ts";
import { writeMetadata } from "../../document/metadata/write-metadata.ts";
import { attachFile } from "../../document/pages/attached-files.ts";
import { pdfToPdf } from "../../document/pages/open-pdf.ts";

const params = z.object({
  /** Present if the file is an invoice. */
  invoice: z
    .object({ standard: z.enum(["factur-x", "zugferd-1"]), profile: z.enum(PROFILES), version: z.string() })
    .exactOptional(),
});

/** The second input is the file. */
const run = pdfToPdf<z.infer<typeof params>>(async (pdf, { invoice }, context) => {
  const [attached] = context.others;
  const { name, modified = new Date() } = attached!;
  const bytes = await attached!.bytes();
  if (!invoice) {
    attachFile(pdf.file, { name, bytes, modified, type: detectMediaType(bytes, name), relationship: "Unspecified" });
    return;
  }
  const facts = new DocumentFacts(pdf, context);
  const { metadata, notices } = embedInvoice(pdf.file, invoice, { bytes, modified });
  const entries = new Map([["ModDate", new Date().toISOString()]] as const);
  pdf.notices.push(...notices, ...writeMetadata(pdf.file, facts, { entries, custom: new Map(), schemas: [metadata] }));
});

export const embedAttachment = defineOperation({ name: "embed-attachment", params, run });
