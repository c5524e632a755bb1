// Declares a tagged PDF as PDF/UA-1, and adds what Chromium and LibreOffice leave out: a title that viewers show,
// descriptions of links, marks of artifacts, and roles. Does not check the result. Yields one output.
import * as z from "zod";
import { contentOf } from "../document/content/page-content.ts";
import { stem } from "../document/contract/file-name.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import type { InfoEntry } from "../document/facts/info-entries.ts";
import { cleanText, writeMetadata } from "../document/metadata/write-metadata.ts";
import type { PdfFile } from "../document/objects/pdf-file.ts";
import { decodeTextString, encodeTextString } from "../document/objects/text-strings.ts";
import { Dictionary, Name, PdfStream, plainBody, Reference, type Value } from "../document/objects/values.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { completePage as effectivePage, placesOf } from "../document/pages/page-tree.ts";
import { completeTags } from "../document/pdfua/complete-tags.ts";
import { markArtifacts } from "../document/pdfua/mark-artifacts.ts";

/** The declaration (ISO 14289-1, 5). */
const PDFUA = {
  schema: {
    title: "PDF/UA identification schema",
    ...{ uri: "http://www.aiim.org/pdfua/ns/id/", prefix: "pdfuaid" },
    properties: { part: { type: "Integer", description: "Part of ISO 14289 to which the document conforms" } },
  },
  values: { part: "1" },
};

/** Returns the annotation; a link without a description gets its address as one (ISO 14289-1, 7.18.5). */
function describeLink(file: PdfFile, value: Value): Value {
  const annotation = file.dictionary(value);
  if (!annotation || file.name(annotation.get("Subtype")) !== "Link" || annotation.has("Contents")) return value;
  const address = file.string(file.dictionary(annotation.get("A"))?.get("URI"));
  const described = annotation.clone().set("Contents", encodeTextString(address ? decodeTextString(address) : "Link"));
  if (!(value instanceof Reference)) return described;
  file.put(value, described);
  return value;
}

/**
 * Marks the artifacts of a content, and in place those of the forms (form XObjects) that it draws without a tag, which
 * Chromium makes of elements with opacity.
 * @param forms numbers of the forms that are marked
 * @returns undefined if the content itself does not change
 */
function markContent(file: PdfFile, content: Value | undefined, resources: Value | undefined, forms: Set<number>) {
  const objects = file.dictionary(file.dictionary(resources)?.get("XObject"));
  return markArtifacts(contentOf(file, content), (name) => {
    const reference = objects?.get(name);
    const dictionary = file.stream(reference)?.dictionary;
    const kind = file.name(dictionary?.get("Subtype"));
    if (kind === "Form" && reference instanceof Reference && !forms.has(reference.number)) {
      forms.add(reference.number);
      const marked = markContent(file, reference, dictionary!.get("Resources"), forms);
      const entries = dictionary!.clone();
      for (const name of ["Filter", "DecodeParms"]) entries.delete(name);
      if (marked) file.put(reference, new PdfStream(entries, plainBody(marked)));
    }
    return kind === "Image";
  });
}

function completePage(file: PdfFile, place: ReturnType<typeof placesOf>[number], forms: Set<number>): void {
  const page = effectivePage(file, place);
  const annotations = file.array(page.get("Annots")) ?? [];
  if (annotations.length > 0) {
    page
      .set(
        "Annots",
        annotations.map((annotation) => describeLink(file, annotation)),
      )
      .set("Tabs", Name.of("S"));
  }
  const marked = markContent(file, page.get("Contents"), page.get("Resources"), forms);
  if (marked) page.set("Contents", file.add(new PdfStream(new Dictionary(), plainBody(marked))));
  file.put(place.reference, page);
}

const run = pdfToPdf<{ name: string }>(async (pdf, { name }, context) => {
  const { file } = pdf;
  const forms = new Set<number>();
  for (const place of placesOf(file)) {
    context.signal.throwIfAborted();
    completePage(file, place, forms);
  }
  completeTags(file, context.signal);
  const facts = new DocumentFacts(pdf, context);
  const title = cleanText(facts.information("Title")) || stem(name);
  const entries = new Map<InfoEntry, string>([["Title", title]]);
  pdf.notices.push(...writeMetadata(file, facts, { entries, custom: new Map(), schemas: [PDFUA] }));
  const catalog = file.catalog.clone();
  const preferences = file.dictionary(catalog.get("ViewerPreferences"))?.clone() ?? new Dictionary();
  catalog.set("ViewerPreferences", preferences.set("DisplayDocTitle", true));
  file.catalog = catalog;
});

export const declarePdfua = defineOperation({ name: "declare-pdfua", params: z.object({ name: z.string() }), run });
