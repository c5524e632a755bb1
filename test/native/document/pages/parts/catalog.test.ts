// Tests the entries of the catalog in merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { merged, PdfJson } from "../../../../support/pdf-json.ts";
import { infoOf, qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

interface Described {
  readonly profile?: string;
  readonly more?: string;
}

/** Returns two pages, and a catalog with all entries about the document as a whole. */
function described(name: string, { profile = "the profile", more = "" }: Described = {}): Uint8Array {
  const builder = new PdfBuilder();
  const first = builder.page("1", "/AA<</O<</S/JavaScript/JS(opened)>>>>/PieceInfo<</App<</Private(private data)>>>>");
  builder.page("2", "/PieceInfo<</App<</Private(private data)>>>>");
  const metadata = builder.stream(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/">${name}</x:xmpmeta>`,
    "/Type/Metadata/Subtype/XML",
  );
  const intent = builder.add(
    `<</Type/OutputIntent/S/GTS_PDFX/OutputConditionIdentifier(CGATS)/DestOutputProfile ${builder.stream(profile, "/N 4")}>>`,
  );
  const info = builder.add(`<</Title(${name})/Author(${name} author)>>`);
  builder.catalog =
    `/Metadata ${metadata}/OutputIntents[${intent}]/PageMode/UseOutlines/PageLayout/TwoColumnLeft/Lang(en)` +
    `/ViewerPreferences<</DisplayDocTitle true/PrintPageRange[0 0]>>/OpenAction[${first}/Fit]` +
    `/AA<</WC<</S/JavaScript/JS(${name} closing)>>>>/Extensions<</ADBE<</BaseVersion/1.7/ExtensionLevel 3>>>>` +
    `/Requirements[<</Type/Requirement/S/EnableJavaScripts>>]/Collection<</View/T>>/Legal<<>>/SpiderInfo<<>>/PieceInfo<<>>${more}`;
  return builder.bytes(`/Info ${info}`);
}

describe("what is said of a document as a whole", () => {
  test("comes from the first input", async () => {
    const pdf = await merged(described("one"), described("two"));
    const document = new PdfJson(pdf);
    expect(infoOf(pdf)).toMatchObject({ Title: "one", Author: "one author" });
    expect(document.catalog).toMatchObject({
      "/PageMode": "/UseOutlines",
      "/PageLayout": "/TwoColumnLeft",
      "/Lang": "u:en",
      "/ViewerPreferences": { "/DisplayDocTitle": true },
      "/Extensions": { "/ADBE": { "/ExtensionLevel": 3 } },
    });
    expect(document.pageNumber(document.get(document.catalog["/OpenAction"])[0])).toBe(1);
    const text = uncompressed(pdf);
    expect(text).toContain('<x:xmpmeta xmlns:x="adobe:ns:meta/">one</x:xmpmeta>');
    expect(text).toContain("one closing");
    expect(text).toContain("(opened)");
    for (const gone of ["two closing", "two author", "/Collection", "/Legal", "/SpiderInfo"])
      expect(text).not.toContain(gone);
    expect(text).not.toContain(">two<");
    expect(qpdfComplaints(pdf)).toBe("");
  });

  test("output intents stay where all agree", async () => {
    const same = new PdfJson(await merged(described("one"), described("two")));
    const [intent] = same.get(same.catalog["/OutputIntents"]);
    expect(same.get(intent)).toMatchObject({ "/S": "/GTS_PDFX", "/OutputConditionIdentifier": "u:CGATS" });
    expect(same.at(intent, "DestOutputProfile")["/N"]).toBe(4);
    expect(uncompressed(await merged(described("one"), described("two"))).match(/the profile/g)).toHaveLength(1);
    const other = await merged(described("one"), described("two", { profile: "other" }));
    expect(new PdfJson(other).catalog).not.toHaveProperty("/OutputIntents");
    expect(uncompressed(other)).not.toMatch(/the profile|other$/m);
  });

  test("an action for the opening goes with its page, private data with the whole", async () => {
    const pdf = await merged([described("one"), "2"]);
    expect(new PdfJson(pdf).catalog).not.toHaveProperty("/OpenAction");
    expect(uncompressed(pdf)).not.toMatch(/private data|\(opened\)/);
    expect(uncompressed(await merged(described("one")))).toContain("private data");
    expect(new PdfJson(await merged(described("one"))).catalog).toHaveProperty("/Collection");
  });

  test("the version is the highest", async () => {
    const older = Buffer.from(described("one")).toString("latin1").replace("%PDF-1.7", "%PDF-1.4");
    const newer = Buffer.from(described("two")).toString("latin1").replace("%PDF-1.7", "%PDF-2.0");
    const pdf = await merged(
      new Uint8Array(Buffer.from(older, "latin1")),
      new Uint8Array(Buffer.from(newer, "latin1")),
    );
    expect(infoOf(pdf)["PDF version"]).toBe("2.0");
  });
});
