// Reads the reserved rights with exiftool. test/container/pdfa/metadata.test.ts validates PDF/A documents.
// Contract: docs/api.md#tdm-reserved-pdf
import { expect, test } from "vitest";
import { reserveMining } from "../../../src/operations/reserve-mining.ts";
import { MANAGED_PACKET, metadataPdf } from "../../fixtures/archival-pdfs.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";
import { said } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";

const tagsOf = (pdf: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(said(pdf, "exiftool", "-json", "-G1", "-struct"))[0];

test.each([
  ["without metadata", () => textPdf(2)],
  ["with metadata", async () => metadataPdf(MANAGED_PACKET)],
])("a document %s reserves the rights, and a second policy replaces the first", async (_, make) => {
  let pdf = await make();
  const before = tagsOf(pdf);
  for (const policy of ["https://example.com/a?b=1&c=2", "http://example.com/p%C3%BC"]) {
    const [reserved] = await outputsOf(reserveMining, [pdf], { policy });
    expect(qpdfComplaints(reserved!)).toBe("");
    const tags = tagsOf(reserved!);
    const own = Object.entries(tags).filter(([name]) => name.startsWith("XMP-tdm:"));
    expect(Object.fromEntries(own)).toEqual({ "XMP-tdm:Reservation": 1, "XMP-tdm:Policy": policy });
    expect(tags["XMP-dc:Title"]).toEqual(String(before["PDF:Title"] ?? "").trim() || undefined);
    expect(pageTexts(reserved!)).toEqual(pageTexts(pdf));
    pdf = reserved!;
  }
});

test.each(HOSTILE_PDFS.map((one) => [one.name, one] as const))("hostile: %s", async (_, { bytes }) => {
  const reason = await reasonOf(async () => outputsOf(reserveMining, [await bytes()], { policy: "https://a.com" }));
  expect(["none", "damaged", "too-large", "too-complex"]).toContain(reason);
});
