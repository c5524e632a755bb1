// Tests how document types are recognized from the first bytes and the name of a file.
// Contract: docs/api.md#pdf, #inputs
import { describe, expect, test } from "vitest";
import { documentTypeOf } from "../../../src/http/document-type.ts";
import { excel2 } from "../../fixtures/office.ts";

const typeOf = (start: Uint8Array, name: string) =>
  documentTypeOf({
    name,
    size: start.length,
    bytes: async () => start,
    async *stream() {
      yield start;
    },
  });

/** Returns a file that begins with these bytes and continues as no text does. */
const beginning = (hex: string) => Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(60)]);

describe("documents of Office that are of before OLE", () => {
  test.each([
    ["Word for DOS", "31be0000", "old.doc"],
    ["Word for Windows 1", "9ba52100", "old.doc"],
    ["Word for Windows 2", "dba52d00", "old.DOC"],
    ["Word 4 for the Macintosh", "fe37001c", "old.doc"],
    ["Excel 3", "0902060000001000", "old.xls"],
    ["Excel 4", "0904060000001000", "old.XLS"],
  ])("%s", async (_, start, name) => expect(await typeOf(beginning(start), name)).toBe("office"));

  test("Excel 2", async () => expect(await typeOf(excel2("Old"), "old.xls")).toBe("office"));

  test.each([
    ["under no such name", "dba52d00", "old.bin"],
    ["under the name of the other", "09040600", "old.doc"],
    ["with other content", "00000000", "old.xls"],
  ])("%s it is none", async (_, start, name) => expect(await typeOf(beginning(start), name)).toBe("none"));
});

describe("a file that is named .html", () => {
  test.each(["", "%PDF-1.4\n1 0 obj\n<<>>", "\r\n%PDF-1.7\n%\u00e2\n12 0 obj<<>>"])("%j is none", async (text) => {
    expect(await typeOf(Buffer.from(text), "page.html")).not.toBe("html");
  });

  test.each([
    ...["text", "1 < 2", " \n", "[InternetShortcut]", "<p>%PDF-1.4", "<?xml version='1.0'?><a/>"],
    ...["%PDF-1.4 is how a PDF begins", "%!PS-Adobe", "{\\rtf1", "\u001b%-12345X@PJL"],
  ])("%j is one", async (text) => {
    expect(await typeOf(Buffer.from(text), "page.html")).toBe("html");
    expect(await typeOf(Buffer.from(`\ufeff${text}`, "utf16le"), "page.htm")).toBe("html");
  });
});
