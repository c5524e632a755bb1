// Tests that text in another format is distinguished from prose: only prose is printed unchanged.
// Contract: docs/api.md#pdf
import { describe, expect, test } from "vitest";
import { isSource, isWebArchive } from "../../../../src/document/formats/text-formats.ts";

const base64 = (length: number) => Buffer.from("A document of some length. ".repeat(length)).toString("base64");
const inLines = (text: string, width: number) => text.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n");

describe("text of another format", () => {
  test.each([
    ["JSON", '{"error": {"code": 401, "message": "expired"}}'],
    ["JSON in lines", '\r\n[\n  {\n    "name": "A",\n    "value": -1.5e3\n  }\n]\n'],
    ["JSON that is cut off", `{"rows": [${'{"a": "x"}, '.repeat(400)}`.slice(0, 4096)],
    ["JSON that is cut off within a text", `[{"text": "${"long ".repeat(900)}`.slice(0, 4096)],
    ["a line of JSON for each record", '{"a":1}\n{"a":2}\n'],
    ["Base64 in lines", inLines(base64(20), 76)],
    ["Base64 in a line", base64(5)],
    ["Base64 for addresses", base64(5).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"],
    ["a signed message", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nText\n"],
    [
      "mail",
      "Received: from a.example\r\n by b.example; Mon, 4 Mar\r\nFrom: a@example.org\r\nSubject: Hi\r\n\r\nHello",
    ],
    ["MIME", 'MIME-Version: 1.0\nContent-Type: multipart/mixed;\n\tboundary="x"\n\n--x\n\nHello\n--x--\n'],
    ["the body of a form", '------WebKitFormBoundaryX\r\nContent-Disposition: form-data; name="file"\r\n\r\nHello'],
    ["an answer of a server", "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\nNot found"],
    ["an address of data", "data:application/msword;base64,0M8R4KGxGuE="],
    ["a card", "BEGIN:VCARD\r\nVERSION:4.0\r\nEND:VCARD\r\n"],
    ["Unix-to-Unix encoding", "begin 644 report.doc\r\n#0V%T\r\n`\r\nend\r\n"],
    ["XML", '<?xml version="1.0"?><order><item>Pump</item></order>'],
    ["XML without a declaration", '<o:order xmlns:o="urn:o"><item>Pump</item></o:order>'],
    ["a pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"],
  ])("%s", (_, text) => expect(isSource(text)).toBe(true));
});

describe("text to read, or a table", () => {
  test.each([
    ["prose", "Dear Sir or Madam,\n\nthank you for your letter of 4 March.\n"],
    ["a memorandum", "To: Ann\nFrom: Bob\nDate: 4 March\nSubject: Lunch\n\nNoon, as agreed?\n"],
    ["a message of a server", "404 Not Found: the report does not exist.\n"],
    ["a list of references", "[1] Smith, J.: On text.\n[2] Jones, K.: On more text.\n"],
    ["a word in brackets", "<Draft> Dear Sir or Madam,\n"],
    ["braces", "{Chapter one}\nIt was a dark night.\n"],
    ["a table", "Name,Value\nA,1\nB,2\n"],
    ["a table with quotation marks", '"Name";"Value"\n"A";"1"\n'],
    ["a table of years", "2019\t2020\t2021\n1\t2\t3\n"],
    ["a long word", "Extraordinary".repeat(6)],
    ["a sequence of genes", `${"ACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGT\n".repeat(3)}`],
    ["columns with colons", "Name: Bob\nAge: 42\n"],
  ])("%s", (_, text) => expect(isSource(text)).toBe(false));

  // Each case takes milliseconds. A pattern that backtracks over such a run would exceed the test's time limit.
  test.each(["{", '{"', '{"a', " ", "a:", "A1b", "-----BEGIN ", "x:\n ", "\\", "<a>", "</a", '["\\'])(
    "a run of %j ends",
    (run) => {
      expect(typeof isSource(run.repeat(4096))).toBe("boolean");
    },
  );
});

test("a web archive is MIME with HTML", () => {
  const archive = (type: string, before = "") => `${before}MIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\nHello`;
  expect(isWebArchive(archive('multipart/related;\r\n\tboundary="x"'))).toBe(true);
  expect(isWebArchive(archive("multipart/alternative; boundary=x", "From: a\r\n"))).toBe(true);
  expect(isWebArchive(archive("text/html; charset=utf-8", "\r\n"))).toBe(true);
  expect(isWebArchive(archive("\r\n multipart/related; boundary=x"))).toBe(true);
  expect(isWebArchive(archive("multipart/mixed; boundary=x"))).toBe(false);
  expect(isWebArchive(archive("text/plain"))).toBe(false);
  expect(isWebArchive("A letter about MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n")).toBe(false);
});
