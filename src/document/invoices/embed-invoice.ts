// Embeds an invoice in a PDF/A-3 (Factur-X 1.0, 6; ZUGFeRD 1.0, technical supplement B).
import { type Notice, namedNotices } from "../contract/notice.ts";
import type { SchemaValues } from "../metadata/own-schema.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { attachFile, detachFiles } from "../pages/attached-files.ts";
import type { OwnSchema } from "../pdfa/metadata/extension-schemas.ts";
import type { InvoiceKind, Profile, Standard } from "./profiles.ts";

interface Placement {
  readonly schema: OwnSchema;
  readonly fileName: string;
  readonly description: string;
  /** Names of the profiles in the metadata. */
  readonly levels: Readonly<Record<Profile, string>>;
}

const LEVELS: Placement["levels"] = {
  minimum: "MINIMUM",
  "basic-wl": "BASIC WL",
  basic: "BASIC",
  en16931: "EN 16931",
  extended: "EXTENDED",
  xrechnung: "XRECHNUNG",
};

const schemaOf = (uri: string, prefix: string, title: string): OwnSchema => ({
  ...{ uri, prefix, title },
  properties: {
    DocumentType: { type: "Text", description: "The type of the embedded document" },
    DocumentFileName: { type: "Text", description: "The name of the embedded XML invoice" },
    Version: { type: "Text", description: "The version of the standard of the XML invoice" },
    ConformanceLevel: { type: "Text", description: "The profile of the XML invoice" },
  },
});

const PLACEMENTS: Readonly<Record<Standard, Placement>> = {
  "factur-x": {
    schema: schemaOf("urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#", "fx", "Factur-X PDFA Extension Schema"),
    fileName: "factur-x.xml",
    description: "Factur-X invoice",
    levels: LEVELS,
  },
  "zugferd-1": {
    schema: schemaOf("urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#", "zf", "ZUGFeRD PDFA Extension Schema"),
    fileName: "ZUGFeRD-invoice.xml",
    description: "ZUGFeRD invoice",
    levels: { ...LEVELS, en16931: "COMFORT" },
  },
};
const XRECHNUNG_FILE = "xrechnung.xml";
/** Names of invoices that the new one replaces, because readers take the first invoice that they find. */
const INVOICE_NAMES = new Set(["factur-x.xml", XRECHNUNG_FILE, "zugferd-invoice.xml"]);
/** Profiles with too few data for an invoice by law: the pages are the invoice, and the file has some of its data. */
const PARTIAL: ReadonlySet<Profile> = new Set(["minimum", "basic-wl"]);

/** @returns the metadata that a reader needs, and notices of replaced invoices */
export function embedInvoice(
  file: PdfFile,
  { standard, profile, version }: InvoiceKind,
  xml: { readonly bytes: Uint8Array; readonly modified: Date },
): { readonly metadata: SchemaValues; readonly notices: readonly Notice[] } {
  const { schema, fileName, description, levels } = PLACEMENTS[standard];
  const name = profile === "xrechnung" ? XRECHNUNG_FILE : fileName;
  const removed = detachFiles(file, (attached) => INVOICE_NAMES.has(attached.toLowerCase()));
  const relationship = PARTIAL.has(profile) ? "Data" : "Alternative";
  attachFile(file, { ...xml, name, description, relationship, type: "text/xml" });
  return {
    metadata: {
      schema,
      values: {
        DocumentType: "INVOICE",
        DocumentFileName: name,
        Version: version,
        ConformanceLevel: levels[profile],
      },
    },
    notices: namedNotices("attachments-removed", removed),
  };
}
