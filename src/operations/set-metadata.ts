// Sets, changes or deletes metadata of a PDF, in its Info dictionary and its XMP metadata alike. Yields one output.
import * as z from "zod";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import { type InfoEntry, KNOWN_ENTRIES, TEXT_ENTRIES } from "../document/facts/info-entries.ts";
import { parseDate } from "../document/metadata/dates.ts";
import { cleanText, writeMetadata } from "../document/metadata/write-metadata.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

/** Entries by member. */
const ENTRIES = {
  ...TEXT_ENTRIES,
  creation_date: "CreationDate",
  modified_date: "ModDate",
} as const satisfies Readonly<Record<string, InfoEntry>>;

/** Maximum bytes of a name (ISO 32000-1, annex C.2). */
const MAX_NAME_BYTES = 127;
/** Entries that declare standards, or that have a member of their own. */
const isReserved = (name: string) => KNOWN_ENTRIES.has(name) || name.startsWith("GTS_");

const line = z.string().max(LIMITS.metadataLength);
const value = line.nullable().exactOptional();
const date = z.string().refine((text) => text === "" || parseDate(text) !== undefined);
/** A tag of a language (RFC 5646, 2.1). */
const language = z.string().regex(/^(?:[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)?$/);
const customName = z
  .string()
  .regex(/^[^\p{Cc}\p{Cs}]+$/u)
  .refine((name) => new TextEncoder().encode(name).length <= MAX_NAME_BYTES && !isReserved(name));
const metadata = z
  .strictObject({
    ...{ title: value, author: value, subject: value, creator: value, producer: value },
    keywords: z
      .union([line, z.array(line).max(LIMITS.metadataEntries)])
      .nullable()
      .exactOptional(),
    ...{ creation_date: date.nullable().exactOptional(), modified_date: date.nullable().exactOptional() },
    language: language.nullable().exactOptional(),
    custom: z
      .record(customName, line.nullable())
      .refine((entries) => Object.keys(entries).length <= LIMITS.metadataEntries)
      .exactOptional(),
  })
  .refine((members) => Object.keys(members).length > 0);

const parameters = {
  metadata: parameter("JSON with the metadata to set; null deletes an entry.", json(metadata, { name: "Metadata" })),
};
export type SetMetadataParams = Params<typeof parameters>;

const joined = (texts: readonly string[]): string =>
  texts
    .map(cleanText)
    .filter((text) => text !== "")
    .join(", ");

const run = pdfToPdf<SetMetadataParams>(async (pdf, { metadata: given }, context) => {
  const texts = Object.entries(ENTRIES).flatMap(([member, entry]) => {
    const value = given[member as keyof typeof ENTRIES];
    return value === undefined ? [] : [[entry, joined([value ?? ""].flat())] as const];
  });
  const entries = new Map<InfoEntry, string>([["ModDate", new Date().toISOString()], ...texts]);
  const custom = new Map(Object.entries(given.custom ?? {}).map(([name, text]) => [name, cleanText(text ?? "")]));
  const language = given.language === null ? "" : given.language;
  const facts = new DocumentFacts(pdf, context);
  pdf.notices.push(...writeMetadata(pdf.file, facts, { entries, custom, language }));
});

export const setMetadata = defineOperation({ name: "set-metadata", parameters, run });
