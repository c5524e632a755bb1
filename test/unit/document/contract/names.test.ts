// Contract: docs/api.md#output-names
import { describe, expect, test } from "vitest";
import { attachment, safeName, stem, withExtension } from "../../../../src/document/contract/file-name.ts";
import { detectMediaType } from "../../../../src/document/contract/media-type.ts";

describe("safeName", () => {
  test.each([
    ["report.pdf", "report.pdf"],
    ["/etc/passwd", "passwd"],
    ["C:\\fakepath\\report.pdf", "report.pdf"],
    ["..", ""],
    ["../..", ""],
    [".hidden", "hidden"],
    ["folder/", "folder"],
    ["a\u0000b\r\nc", "abc"],
    ["Cafe\u0301.pdf", "Café.pdf"],
    ["\u202Efdp.exe", "fdp.exe"],
    ['what?<>|*":', "what"],
    ["\ud800lone.pdf", "\ufffdlone.pdf"],
    ["   ", ""],
    ["日本語.pdf", "日本語.pdf"],
  ])("%o becomes %o", (given, expected) => {
    expect(safeName(given)).toBe(expected);
  });

  test.each(["x".repeat(1000), "😀".repeat(1000), `${"é".repeat(500)}.pdf`])("is at most 200 bytes long", (given) => {
    const name = safeName(given);
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(200);
    expect(new TextEncoder().encode(name).length).toBeGreaterThan(190);
    expect(name.isWellFormed()).toBe(true);
    expect(name.endsWith(".pdf")).toBe(given.endsWith(".pdf"));
  });

  // Unicode normalization would take minutes to sort so many combining marks.
  test("of one letter with marks without end", () => {
    const name = safeName(`a${"\u0301\u0323".repeat(500_000)}.pdf`);
    expect(name).toMatch(/^\u1ea1\u0323+\.pdf$/);
  });
});

test.each([
  ["report.pdf", "report"],
  ["archive.tar.gz", "archive.tar"],
  ["none", "none"],
  [".pdf", ".pdf"],
])("stem of %s", (name, expected) => {
  expect(stem(name)).toBe(expected);
});

test.each([
  ["report", "pdf", "report.pdf"],
  ["report.pdf", "pdf", "report.pdf"],
  ["Report.PDF", "pdf", "Report.pdf"],
  ["report.pdf.pdf", "pdf", "report.pdf.pdf"],
  ["report.v2", "pdf", "report.v2.pdf"],
  ["report.pdf", "png", "report.pdf.png"],
  ["pdf", "pdf", "pdf.pdf"],
  ["größe.Zip", "zip", "größe.zip"],
])("%s with the extension %s is %s", (name, extension, expected) => {
  expect(withExtension(name, extension)).toBe(expected);
});

test.each([
  ["page_1.png", "attachment; filename=page_1.png"],
  ["my page.png", "attachment; filename=\"my page.png\"; filename*=UTF-8''my%20page.png"],
  ["Ä(1)'.png", "attachment; filename=\"_(1)'.png\"; filename*=UTF-8''%C3%84%281%29%27.png"],
  ['a"b\\c;d', "attachment; filename=\"a_b_c;d\"; filename*=UTF-8''a%22b%5Cc%3Bd"],
])("Content-Disposition of %s (RFC 6266)", (name, expected) => {
  expect(attachment(name)).toBe(expected);
});

describe("media type: content first, extension second", () => {
  const bytes = (text: string) => Buffer.from(text, "latin1");
  test.each([
    ["%PDF-1.7", "a.txt", "application/pdf"],
    [`${" ".repeat(1000)}%PDF-1.7`, "a", "application/pdf"],
    [`${" ".repeat(1100)}%PDF-1.7`, "a", "application/octet-stream"],
    ["\x89PNG\r\n\x1a\n", "a.pdf", "image/png"],
    ["\xff\xd8\xff\xe0", "a", "image/jpeg"],
    ["GIF89a", "a", "image/gif"],
    ["II*\0", "a", "image/tiff"],
    ["MM\0*", "a", "image/tiff"],
    ["BM\x10\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", "a", "image/bmp"],
    ["BM\x10\0\0\0\x01\x02\x03\x04\x36\0\0\0\x28\0\0\0", "a", "image/bmp"],
    ["BM\xff\xff\0\0GR32\x8a\0\0\0\x7c\0\0\0", "a.txt", "image/bmp"],
    ["BM\0\0\0\0\x01\0\0\0\x1a\0\0\0\x0c\0\0\0", "a", "image/bmp"],
    ["BM\0\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0", "a", "image/bmp"],
    ["BM\x10\0\0\0\x01\0\0\0\x10\0\0\0\x28\0\0\0", "a", "application/octet-stream"],
    ["BM\x10\0\0\0\x01\0\0\0\x36\0\0\0\x28\0\x01\0", "a", "application/octet-stream"],
    ["BM\x10\0\0\0\0\0\0\0\x36\0\0\0", "a", "application/octet-stream"],
    ["BMW is a car", "a", "application/octet-stream"],
    ["BM is how a bitmap begins, and this text", "a.txt", "text/plain"],
    ["PK\x03\x04", "a.zip", "application/zip"],
    ["PK\x03\x04", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["PK\x03\x04", "a.doc", "application/zip"],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xls", "application/vnd.ms-excel"],
    ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a", "application/x-ole-storage"],
    ["{\\rtf1", "a.doc", "application/rtf"],
    ["%!PS-Adobe-3.0", "a", "application/postscript"],
    ["\xc5\xd0\xd3\xc6", "a", "application/postscript"],
    ["\n<!DOCTYPE html><p>", "a", "text/html"],
    ["<!-- made by hand --><html>", "a", "text/html"],
    [" <!-- a > b --> <!---->\n<!-- c --> <Body>", "a", "text/html"],
    ["<!-- an html page --> <svg>", "a", "application/octet-stream"],
    ["<!-- not closed <html>", "a", "application/octet-stream"],
    // A pattern that tries all ways to combine the comments would not end.
    [`${"<!---->".repeat(100)}<svg>`, "a", "application/octet-stream"],
    [`${"<!---->".repeat(100)}<html>`, "a", "text/html"],
    ["a,b\n1,2", "a.csv", "text/csv"],
    ["%FDF-1.2\n1 0 obj", "a", "application/vnd.fdf"],
    ["\n%FDF-1.2", "a.FDF", "application/vnd.fdf"],
    ['<?xml version="1.0"?><xfdf/>', "a.xfdf", "application/vnd.adobe.xfdf"],
    ["<xdp:xdp/>", "a.xdp", "application/vnd.adobe.xdp+xml"],
    ["<xfd/>", "a.xfd", "application/vnd.adobe.xfd+xml"],
    ["# Title", "a.md", "text/markdown"],
    ["# Title", "a.markdown", "text/markdown"],
    ["Received: from a\r\n\r\n", "a.eml", "message/rfc822"],
    ["a,b\n1,2", "a.pdf", "application/octet-stream"],
    ["", "a.docx", "application/octet-stream"],
    ["", "", "application/octet-stream"],
  ])("%o named %s is %s", (content, name, expected) => {
    expect(detectMediaType(bytes(content), name)).toBe(expected);
  });
});
