// Tests that a PDF/A stays valid when its metadata change. veraPDF judges.
// Contract: docs/api.md#pdf-with-metadata, #tdm-reserved-pdf
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reserveMining } from "../../../src/operations/reserve-mining.ts";
import { setMetadata } from "../../../src/operations/set-metadata.ts";
import { MANAGED_PACKET, metadataPdf } from "../../fixtures/archival-pdfs.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { pdfaClaim } from "../../fixtures/pdfa-claim.ts";
import { archived } from "../../support/archival.ts";
import { corpusFile } from "../../support/corpus.ts";
import type { LevelName } from "../../support/levels.ts";
import { outputsOf } from "../../support/operations.ts";
import { whatTheyBreak } from "../../support/verapdf.ts";

const CHANGES = {
  ...{ title: "Größe <& 山", author: "A, B; C", subject: "S", keywords: ["k", "l"], creator: "C", producer: "P" },
  ...{ language: "de", creation_date: "2024-02-29T10:11:12+02:30", custom: { Project: "Apollo", "2 ä山": "c" } },
} as const;
const NOTHING = Object.fromEntries(Object.keys(CHANGES).map((member) => [member, null]));
const METADATA = [CHANGES, { title: "New" }, { ...NOTHING, custom: { Project: null } }, { modified_date: null }];

/** Returns a PDF/A-4 with an empty page. */
function pdfa4(): Uint8Array {
  const builder = new PdfBuilder();
  builder.page("% ()");
  const packet = pdfaClaim("4").replace(/pdfaid:conformance="."/, 'pdfaid:rev="2020"');
  builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
  const text = Buffer.from(builder.bytes("/ID[<00><00>]")).toString("latin1");
  return Buffer.from(text.replace(/^%PDF-1\.\d\n/, "%PDF-2.0\n%\xe2\xe3\xcf\xd3\n"), "latin1");
}

test("a PDF/A stays valid", async () => {
  const folder = await mkdtemp(join(tmpdir(), "metadata-"));
  try {
    const asked: { path: string; flavour: string }[] = [];
    const add = async (pdf: Uint8Array, flavour: string) => {
      const path = join(folder, `${asked.length}.pdf`);
      await writeFile(path, pdf);
      asked.push({ path, flavour });
    };
    // A document whose metadata are in XMP only.
    const inXmp = corpusFile("pdf/veraPDF-test-suite-6-2-3-3-t01-pass-b.pdf");
    if (inXmp) await add((await outputsOf(setMetadata, [inXmp], { metadata: CHANGES }))[0]!, "1b");
    if (inXmp) await add((await outputsOf(setMetadata, [inXmp], { metadata: { title: "New" } }))[0]!, "1b");
    await add((await outputsOf(setMetadata, [pdfa4()], { metadata: CHANGES }))[0]!, "4");
    await add((await outputsOf(reserveMining, [pdfa4()], { policy: "https://example.com/tdm" }))[0]!, "4");
    for (const flavour of ["1b", "2b", "2u", "3b"] satisfies LevelName[]) {
      for (const document of [metadataPdf(), metadataPdf(MANAGED_PACKET)]) {
        const pdf = await archived(document, flavour);
        await add(pdf, flavour);
        for (let reserved = pdf, time = 0; time < 2; time++) {
          reserved = (await outputsOf(reserveMining, [reserved], { policy: "https://example.com/tdm" }))[0]!;
          await add(reserved, flavour);
        }
        for (const metadata of METADATA) {
          const [made] = await outputsOf(setMetadata, [pdf], { metadata });
          await add(made!, flavour);
          // Entries that were written once can be changed again.
          const [again] = await outputsOf(setMetadata, [made!], { metadata: CHANGES });
          await add(again!, flavour);
        }
      }
    }
    expect(await whatTheyBreak(asked)).toEqual(asked.map(() => ""));
  } finally {
    await rm(folder, { recursive: true });
  }
});
