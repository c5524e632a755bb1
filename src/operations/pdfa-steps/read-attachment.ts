// Decides how a PDF/A-3 embeds a file: as an invoice, or as a file of any other type.
import * as z from "zod";
import { OutOfRange } from "../../document/contract/failure.ts";
import { detectMediaType } from "../../document/contract/media-type.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { type InvoiceKind, PROFILES } from "../../document/invoices/profiles.ts";
import { readInvoice } from "../../document/invoices/read-invoice.ts";

const params = z.object({ profile: z.enum(PROFILES).exactOptional() });

/** Types of XML files. A file without the extension `.xml` can start with a declaration. */
const XML_TYPE = "application/xml";
const XML_DECLARATION = /^(?:\xef\xbb\xbf)?\s*<\?xml\s/;
const START_BYTES = 1100;

/** The invoice in a file; undefined if the file has another type. */
export interface AttachedKind {
  readonly invoice?: InvoiceKind;
}

/**
 * Yields one output, the {@link AttachedKind}. An XML file must be an invoice.
 * @throws EngineFailure `not-an-invoice`
 * @throws OutOfRange if the invoice has another profile
 */
const run: Run<z.infer<typeof params>> = async function* ([input], { profile }) {
  const { name } = input!;
  const bytes = await input!.bytes();
  const found: AttachedKind =
    profile !== undefined || isXml(bytes, name) ? { invoice: readInvoice(bytes, name).kind } : {};
  if (profile !== undefined && found.invoice?.profile !== profile) {
    throw new OutOfRange("invoiceProfile", profile, `${name} has the profile ${found.invoice?.profile}.`);
  }
  yield { extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(found)) };
};

export const readAttachment = defineOperation({ name: "read-attachment", params, run });

function isXml(bytes: Uint8Array, name: string): boolean {
  const start = bytes.subarray(0, START_BYTES);
  if (detectMediaType(start, name) === XML_TYPE) return true;
  return XML_DECLARATION.test(new TextDecoder("latin1").decode(start));
}
