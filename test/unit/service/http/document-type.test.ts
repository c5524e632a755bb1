// Tests the recognition of document types by the first bytes and the name of a file.
// Contract: docs/api.md#pdf, #inputs
import { describe, expect, test } from "vitest";
import { documentTypeOf } from "../../../../src/service/http/requests/document-type.ts";
import { excel2 } from "../../../fixtures/office.ts";

const typeOf = (start: Uint8Array, name: string) =>
  documentTypeOf({
    name,
    size: start.length,
    bytes: async () => start,
    async *stream() {
      yield start;
    },
  });

/** Returns a file that starts with these bytes and continues with bytes that no text contains. */
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

describe("HTML with zero bytes", () => {
  const zero = "\0";
  test.each([
    ["among the text", `<!doctype html><p>Before${zero}after</p>`],
    ["at the end", `<html><body>x</body></html>${zero.repeat(3000)}`],
    ["at the beginning", `${zero}${zero}<p>x</p>`],
    ["within a tag", `<di${zero}v><b>x</b>`],
    ["in text without tags", `Some text, ${zero} and more of it`],
  ])("%s is HTML", async (_, text) => expect(await typeOf(Buffer.from(text), "mail.html")).toBe("html"));

  test.each([
    ["UTF-16 without a byte order mark", Buffer.from("<html><p>Text</p></html>", "utf16le")],
    ["UTF-16BE without a byte order mark", Buffer.from("<html><p>Text</p></html>", "utf16le").swap16()],
    ["UTF-32", Buffer.from([...Buffer.from("<p>x</p>")].flatMap((byte) => [byte, 0, 0, 0]))],
    ["zeros", Buffer.alloc(5000)],
    ["a zip file", Buffer.from("PK\x03\x04\x14\0\0\0<p>", "latin1")],
    ["an OLE file", Buffer.from(`d0cf11e0a1b11ae1${"00".repeat(16)}3e000300fe`, "hex")],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108", "hex")],
  ])("%s is not", async (_, content) => expect(await typeOf(content, "page.html")).not.toBe("html"));
});

describe("texts", () => {
  const type = (text: string, name: string) => typeOf(Buffer.from(text), name);
  const mail = "From: a@example.com\r\nSubject: A\r\nMIME-Version: 1.0\r\n\r\nText";
  const saved = `From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x`;

  test.each([
    ["prose", "Dear Sir,", "letter.txt", "text"],
    ["prose without a known name", "Dear Sir,", "letter", "text"],
    ["source code", "int main() {}", "main.c", "text"],
    ["Markdown that starts with HTML", "<h1 align=center>A</h1>\n\n- b", "README.md", "markdown"],
    ["a table", "a;b\n1;2", "table.csv", "table"],
    ["a table with tabs", "a\tb", "table.TSV", "table"],
    ["JSON", '{"a": 1}', "data.json", "json"],
    ["JSON without a known name", '{"a": 1, "b": [2]}', "data", "json"],
    ["JSON in a text", '{"a": 1}', "data.txt", "text"],
    ["XML", "<?xml version='1.0'?><a/>", "data", "xml"],
    ["XML without a declaration", "<a><b/></a>", "data.xml", "xml"],
    ["e-mail", mail, "mail", "mail"],
    ["e-mail with damaged headers", "Subject: A\r\nnot a header\r\n\r\nText", "a.eml", "mail"],
    ["e-mail in a mailbox", `From a@example.com Mon Jan 1\n${mail}`, "mail", "mail"],
    ["e-mail in a text", mail, "mail.txt", "text"],
    ["a web archive of a browser", saved, "page", "web-archive"],
    ["HTML in a text", "<!doctype html><p>a", "page.txt", "text"],
    ["a drawing", "<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg", "svg"],
    ["prose that is named like a picture", "Dear Sir,", "a.png", "none"],
    ["nothing", "", "a.txt", "none"],
  ])("%s", async (_, text, name, expected) => expect(await type(text, name)).toBe(expected));

  test("UTF-16 without a byte order mark is text", async () => {
    const text = Buffer.from("Dear Sir,\nplease read", "utf16le");
    expect(await typeOf(text, "a.txt")).toBe("text");
    expect(await typeOf(Buffer.from(text).swap16(), "a.csv")).toBe("table");
  });

  test("bytes that no text has are none", async () => {
    expect(await typeOf(Buffer.from("\x01\x02\x03\x04abc", "latin1"), "a.txt")).toBe("none");
  });

  test("an item of Outlook is known by its parts, or by its name", async () => {
    const ole = Buffer.from(`d0cf11e0a1b11ae1${"00".repeat(100)}`, "hex");
    const marked = Buffer.concat([ole, Buffer.from("__properties_version1.0", "utf16le")]);
    expect(await typeOf(marked, "a.bin")).toBe("msg");
    expect(await typeOf(ole, "a.msg")).toBe("msg");
    expect(await typeOf(ole, "a.doc")).toBe("office");
  });
});

describe("text in a file that is named like one of Office", () => {
  const type = (text: string, name: string) => typeOf(Buffer.from(text), name);
  const archive = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x";
  const flat =
    '<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part pkg:name="/a.xml"/>';

  test.each(["page.doc", "table.XLS"])("web archives, prose and tables called %s are documents", async (name) => {
    for (const text of [archive, `\ufeff${archive}`, "Dear Sir,", "a;b\n1;2"])
      expect(await type(text, name)).toBe("office");
  });

  test.each(["letter.doc", "table.xls"])("the source of another format called %s is none", async (name) => {
    for (const text of [
      '{"error": "expired"}',
      archive.replace("related", "mixed"),
      "-----BEGIN CERTIFICATE-----\nMII",
    ]) {
      expect(await type(text, name)).toBe("none");
    }
    expect(await typeOf(Buffer.from(`\ufeff${archive}`, "utf16le"), name)).toBe("none");
  });

  test.each(["letter.doc", "table.xls"])("a part of a page called %s is a document", async (name) => {
    for (const text of ["<br/><table><tr><td>1", "<section>A</section>", "<font face=Arial>A</font>", "<h2>A</h2>"])
      expect(await type(text, name)).toBe("office");
  });

  test("a web archive of another name is one, unless its name is that of another format", async () => {
    for (const name of ["page.mht", "page.mhtml", "page"]) expect(await type(archive, name)).toBe("web-archive");
    for (const name of ["page.docx", "page.odt"]) expect(await type(archive, name)).toBe("none");
  });

  test.each(["a.doc", "a.xml", "a"])("a package in one file of XML called %s is a document", async (name) => {
    expect(await type(`<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>${flat}`, name)).toBe("office");
    expect(await type(`<?xml version="1.0"?>${flat}`, name)).toBe("office");
    expect(await type(flat, name)).toBe("office");
    expect(await type("<package xmlns='urn:x'>", "a.xml")).toBe("xml");
  });
});
