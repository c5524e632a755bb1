// Tests POST /pdf for files that count as HTML. A file called .html and a file stored by /html are HTML regardless of
// their first bytes, unless the content is clearly of another type.
// Contract: docs/api.md#pdf, #inputs
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { docx, paragraph } from "../fixtures/office.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { privateClient, upload } from "../support/client.ts";

const folder = mkdtempSync(join(tmpdir(), "pdf-html-content-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const NOT_VALID = [400, beginning("Uploaded file is not valid input for this route.")];
const client = privateClient();

function textOf(bytes: Uint8Array): string {
  const file = join(folder, "looked-at.pdf");
  writeFileSync(file, bytes);
  return execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).trim();
}

async function textFrom(content: Uint8Array | string, name = "page.html"): Promise<string> {
  const [made] = await client.make("/pdf", { file: upload(content, name), output: "made" });
  return textOf(made!.bytes);
}

async function error(content: Uint8Array | string, name = "page.html") {
  const { status, body } = await client.post("/pdf", { file: upload(content, name), output: "made" });
  return [status, body.error];
}

const FRAGMENTS: readonly (readonly [string, string | Uint8Array, string])[] = [
  ["text with a tag", "Hello <b>World</b>", "Hello World"],
  ["plain text", "hello", "hello"],
  ["a less-than sign", "1 < 2", "1 < 2"],
  ["an entity", "a &amp; b", "a & b"],
  ["a comment first", "<!-- c -->x", "x"],
  ["a link behind text", 'Some text, <a href="x">link</a>', "Some text, link"],
  ["a template", "{{t}} <div>x</div>", "{{t}}"],
  ["a byte order mark", "\ufeffHello <b>W</b>", "Hello W"],
  ["UTF-16, little endian", Buffer.from("\ufeffHello <b>Größe</b>", "utf16le"), "Hello Größe"],
  ["UTF-16, big endian", Buffer.from("\ufeffHello <b>Größe</b>", "utf16le").swap16(), "Hello Größe"],
  ["5,000 blanks first", `${" ".repeat(5000)}<p>late`, "late"],
  ["a word that a PDF begins with", "<p>A PDF begins with %PDF-1.7</p>", "A PDF begins with %PDF-1.7"],
  ["the header of a PDF, and no object", "%PDF-1.4 is how <b>it</b> begins", "%PDF-1.4 is how it begins"],
  ["the header of PostScript", "%!PS <b>x</b>", "%!PS x"],
  ["the header of RTF", "{\\rtf1 text}", "{\\rtf1 text}"],
  ["a word that a GIF begins with", "GIF89a is a format", "GIF89a is a format"],
  ["the heading of a shortcut", "[InternetShortcut] is a heading", "[InternetShortcut] is a heading"],
];

describe("an .html file is HTML whatever it begins with", () => {
  test.each(FRAGMENTS)("%s", async (_, content, expected) => {
    // Some text extractors omit spaces that are narrow on paper.
    const withoutBlanks = (text: string) => text.replaceAll(/\s/g, "");
    expect(withoutBlanks(await textFrom(content))).toContain(withoutBlanks(expected));
  });

  test("under other spellings of the name", async () => {
    expect(await textFrom("hello", "PAGE.HTML")).toBe("hello");
    expect(await textFrom("hello", "page.htm")).toBe("hello");
  });

  test.each(["Hello <b>World</b>", "hello", "1 < 2", "<!-- c -->x", " ".repeat(5000), "\ufeffHello"])(
    "what /html stored: %j",
    async (content) => {
      const stored = await client.post("/html", { content, output: "stored" });
      const { status, body } = await client.post("/pdf", { id: stored.body.outputId!, output: "made" });
      expect([status, body.error]).toEqual([200, undefined]);
    },
  );
});

describe("what is clearly something else is judged by its content", () => {
  test("a PDF and an empty file are no input", async () => {
    expect(await error(await labeledPdf("P", 1))).toEqual(NOT_VALID);
    expect(await error(`\r\n${Buffer.from(await labeledPdf("P", 1)).toString("latin1")}`)).toEqual(NOT_VALID);
    expect(await error("")).toEqual(NOT_VALID);
    expect(await error(Buffer.from("7f454c4602010100000000000000000003003e00", "hex"))).toEqual(NOT_VALID);
  });

  test("a Word document and a picture are converted as such", async () => {
    expect(await textFrom(docx({ body: paragraph("Dear reader") }))).toBe("Dear reader");
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    expect(await textFrom(png)).toBe("");
  });

  test("text under other names is no HTML", async () => {
    expect(await textFrom("hello <b>you</b>", "page.txt")).toBe("hello <b>you</b>");
    expect(await textFrom("<!DOCTYPE html><p>source</p>", "page.txt")).toBe("<!DOCTYPE html><p>source</p>");
    expect(await textFrom("<!DOCTYPE html><p>page</p>", "page")).toBe("page");
    expect(await textFrom("hello <b>you</b>", "page")).toBe("hello <b>you</b>");
    expect(await error("hello", "page.zip")).toEqual(NOT_VALID);
  });
});

describe("without any input", () => {
  test("the sentence names all three ways", async () => {
    const sentence = "This route needs a File, an ID or a URL.";
    for (const fields of [{}, { url: "" }, { id: "", url: " " }]) {
      const { status, body } = await client.post("/pdf", { output: "made", ...fields });
      expect([status, body.error]).toEqual([400, sentence]);
    }
    const { body } = await client.post("/png", { output: "made" });
    expect(body.error).toBe("This route needs a File or an ID.");
  });

  test("and stands in the OpenAPI document", async () => {
    const document = (await (await fetch(`${client.url}/openapi.json`)).json()) as {
      paths: Record<string, { post: { responses: Record<string, { description: string }> } }>;
    };
    expect(document.paths["/pdf"]!.post.responses[400]!.description).toContain("needs a File, an ID or a URL.");
  });
});
