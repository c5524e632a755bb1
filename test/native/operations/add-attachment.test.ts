// Reads attachments with pdfdetach and qpdf, and validates PDF/A-3 with veraPDF.
// Contract: docs/api.md#pdf-with-added-attachment
import { expect, test } from "vitest";
import { type AddAttachmentParams, addAttachment } from "../../../src/operations/add-attachment.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { pdfaClaim } from "../../fixtures/pdfa-claim.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { attachedTo, said } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";
import { withFile } from "../../support/pictures.ts";
import { whatTheyBreak } from "../../support/verapdf.ts";

const BYTES = Uint8Array.from({ length: 100_000 }, (_, index) => (index * index) % 251);
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

async function attach(
  pdf: Uint8Array,
  name: string,
  params: Partial<AddAttachmentParams> = {},
  bytes: Uint8Array = BYTES,
): Promise<Uint8Array> {
  const usual: AddAttachmentParams = { relationship: "unspecified", ...params };
  const attached = { ...inputOf(bytes, name), modified: new Date("2026-01-31T08:09:10.123Z") };
  for await (const output of addAttachment.run([inputOf(pdf), attached], usual, CONTEXT)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return made;
  }
  throw new Error("no output");
}

test.each(["data.bin", "Größe äöü.xml", "帳票 – 報告.txt", "no extension", "(a)\\b.txt"])(
  "%s is attached with its name and its bytes",
  async (name) => {
    const made = await attach(plainPdf("Page"), name);
    expect(attachedTo(made).get(name.replaceAll("/", "_"))).toBe(latin1(BYTES));
    expect(said(made, "qpdf", "--list-attachments")).toContain(name);
    expect(pageTexts(made)).toEqual(["Page"]);
  },
);

test("an empty file is attached", async () => {
  expect([...attachedTo(await attach(plainPdf("A"), "empty", {}, new Uint8Array()))]).toEqual([["empty", ""]]);
});

test("description, type, relationship and date are in the file", async () => {
  const params = { description: "Größe – 数", mimeType: "text/xml", relationship: "alternative" } as const;
  const made = await attach(plainPdf("A"), "factur-x.xml", params);
  const listed = said(made, "qpdf", "--list-attachments", "--verbose");
  for (const part of [params.description, "text/xml", "D:20260131080910Z"]) expect(listed).toContain(part);
  expect(uncompressed(made)).toMatch(/\/AFRelationship \/Alternative/);
  expect(uncompressed(made)).toMatch(/\/AF \[/);
});

test.each([
  ["notes.pdf", plainPdf("B"), "application/pdf"],
  ["page.html", Buffer.from("<!doctype html><p>A"), "text/html"],
])("the type of %s is detected", async (name, bytes, type) => {
  expect(said(await attach(plainPdf("A"), name, {}, bytes), "qpdf", "--list-attachments", "--verbose")).toContain(type);
});

test("existing attachments stay, names are sorted, and a name that is used gets a number", async () => {
  let made = plainPdf("A");
  const names = ["m.txt", "a.txt", "ß.txt", "日.txt", "m.txt", "m.txt"];
  for (const [index, name] of names.entries()) made = await attach(made, name, {}, Buffer.from(String(index)));
  const read = [...attachedTo(made)].toSorted(([, one], [, other]) => one.localeCompare(other));
  expect(read.map(([name]) => name)).toEqual(["m.txt", "a.txt", "ß.txt", "日.txt", "m (2).txt", "m (3).txt"]);
  expect(uncompressed(made).match(/\/Type \/Filespec/g)).toHaveLength(names.length);
});

test("attachments in a tree of several levels stay, in their order", async () => {
  const builder = new PdfBuilder();
  const leaf = (from: number) => {
    const entries = Array.from({ length: 50 }, (_, index) => {
      const name = `n${String(from + index).padStart(4, "0")}`;
      return `(${name})<</Type/Filespec/F(${name})/EF<</F ${builder.stream(name, "/Type/EmbeddedFile")}>>>>`;
    });
    return builder.add(`<</Names[${entries.join("")}]/Limits[(n${from})(n${from + 49})]>>`);
  };
  const kids = [0, 50, 100].map((from) => leaf(from)).join(" ");
  builder.page("A");
  builder.catalog = `/Names<</EmbeddedFiles ${builder.add(`<</Kids[${kids}]>>`)}/Dests<</Names[]>>>>`;
  const made = await attach(builder.bytes(), "n0070b");
  const listed = said(made, "pdfdetach", "-list").match(/n\d+b?/g)!;
  expect(listed).toHaveLength(151);
  expect(listed).toEqual(listed.toSorted());
});

const archival = (part: string) => {
  const builder = new PdfBuilder();
  builder.page("0 0 9 9 re W n %(");
  const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">${pdfaClaim(part)}</x:xmpmeta><?xpacket end="w"?>`;
  builder.catalog = `/Metadata ${builder.stream(xmp, "/Type/Metadata/Subtype/XML")}`;
  return builder.bytes();
};

test("a PDF/A-3 stays valid, also with a second attachment", async () => {
  const one = await attach(archival("3"), "a.xml", { relationship: "data" });
  const two = await attach(one, "b", { description: "B" });
  const broken = await withFile(one, "one.pdf", (first) =>
    withFile(two, "two.pdf", (second) => whatTheyBreak([first, second].map((path) => ({ path, flavour: "3b" })))),
  );
  expect(broken).toEqual(["", ""]);
});

test.each(["1", "2", "4"])("a PDF/A-%s does not allow attachments", async (part) => {
  expect(await reasonOf(() => attach(archival(part), "a.xml"))).toBe("attachments-forbidden");
});

test("a file that is larger than the memory is refused", async () => {
  expect(await reasonOf(() => attach(plainPdf("A"), "large", {}, new Uint8Array(30 * 2 ** 20)))).toBe("too-large");
});
