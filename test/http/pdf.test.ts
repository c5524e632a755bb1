// Tests POST /pdf for Office documents (spec, "POST /pdf"), over HTTP, in the container.
// Contract: docs/api.md#pdf, #inputs, #errors
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docx, pageBreak, paragraph, xlsx, zip } from "../fixtures/office.ts";
import { squarePdf, textPdf } from "../fixtures/pdfs.ts";
import { pattern, plainTiff, tiff } from "../fixtures/pictures.ts";
import { beginning } from "../support/beginning.ts";
import { createClient, type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { eventually } from "../support/eventually.ts";
import { textAndInfoOf, withFile } from "../support/pdf-readers.ts";
import { officeAtWork, officeProcesses } from "../support/processes.ts";
import { type Service, startService } from "../support/service.ts";
import { openStoredFiles } from "../support/stored-files.ts";

const NOT_VALID = beginning("Uploaded file is not valid input for this route.");
const LOCKED = "The input file is password protected and cannot be processed.";

const letter = docx({
  body: paragraph("Dear reader") + pageBreak + paragraph("The end"),
  title: "A letter",
  author: "A. Writer",
});
const prices = xlsx('<row><c t="inlineStr"><is><t>Paper</t></is></c><c><v>3.5</v></c></row>');

/** Returns the highest resolution of an image on the page, in dots per inch, as poppler measures it. */
function highestResolution(bytes: Uint8Array): number {
  const listed = withFile(bytes, (path) => execFileSync("pdfimages", ["-list", path], { encoding: "utf8" }));
  const list = listed.trim().split("\n").slice(2);
  return Math.max(...list.map((line) => Number(line.trim().split(/\s+/)[12])));
}

async function converted(fields: FormFields) {
  const [made, ...more] = await privateClient().make("/pdf", { output: "made", ...fields });
  expect(more).toEqual([]);
  return { ...made!, ...textAndInfoOf(made!.bytes) };
}

async function error(fields: FormFields): Promise<[number, string | undefined]> {
  const { status, body } = await privateClient().post("/pdf", { output: "made", ...fields });
  return [status, body.error];
}

describe("pages of documents of all types", () => {
  const [wide, high] = [
    [20, 10],
    [10, 20],
  ].map(([width, height]) => plainTiff(pattern(3, width, height), 8));
  const mail =
    'Subject: Three\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n' +
    "--x\r\nContent-Type: text/plain\r\n\r\nOne\r\n" +
    '--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nTwo\fThree\r\n--x--\r\n';

  test.each<[string, FormFields, RegExp]>([
    ["Word", { file: upload(letter, "letter.docx"), pages: "2" }, /^The end$/],
    ["a text", { file: upload(Buffer.from("One\fTwo\fThree"), "a.txt"), pages: "last,odd" }, /^Three\s+One\s+Three$/],
    ["e-mail", { file: upload(Buffer.from(mail), "a.eml"), attachments: "append", pages: "3" }, /^Three$/],
  ])("%s", async (_, fields, expected) => expect((await converted(fields)).text.trim()).toMatch(expected));

  test("TIFF", async () => {
    const file = upload(tiff([wide!, high!]), "a.tif");
    expect((await converted({ file, pages: "2" })).info).toMatchObject({ Pages: "1" });
    expect(await error({ file, pages: "3" })).toEqual([
      400,
      "3 is not within the acceptable range for pages. a.pdf has 2 pages.",
    ]);
  });
});

describe("an Office document becomes a PDF", () => {
  test("Word: its pages, title and author, under the name that was asked for", async () => {
    const { name, type, text, info } = await converted({ file: upload(letter, "letter.docx") });
    expect([name, type]).toEqual(["made.pdf", "application/pdf"]);
    expect(text).toContain("Dear reader");
    expect(info).toMatchObject({ Pages: "2", Title: "A letter", Author: "A. Writer" });
  });

  test("Excel", async () => {
    const { text, info } = await converted({ file: upload(prices, "prices.xlsx") });
    expect(text).toContain("Paper");
    expect(info.Pages).toBe("1");
  });

  test("by the id of an earlier call; and the PDF's own id goes into the next one", async () => {
    const { body } = await privateClient().post("/pdf", { file: upload(letter, "letter.docx"), output: "a" });
    const again = await privateClient().post("/pdf", { id: body.inputId!, output: "b" });
    expect([again.status, again.body.inputId]).toEqual([200, body.inputId]);
    const pages = await privateClient().make("/png", {
      id: again.body.outputId as string,
      output: "page",
      resolution: "36",
    });
    expect(pages).toHaveLength(2);
  });

  test("in the keyed variant", async () => {
    const [made] = await keyedClient().make("/pdf", { file: upload(letter, "letter.docx"), output: "made" });
    expect(textAndInfoOf(made!.bytes).info.Pages).toBe("2");
    const { status, body } = await createClient(keyedClient().url, "no key").post("/pdf", { output: "made" });
    expect([status, body.error]).toEqual([401, "The provided key is not valid."]);
  });

  test("tagged_pdf", async () => {
    for (const [tagged_pdf, expected] of [
      ["on", "yes"],
      ["off", "no"],
    ] as const) {
      expect((await converted({ file: upload(letter, "a.docx"), tagged_pdf })).info.Tagged, tagged_pdf).toBe(expected);
    }
    expect((await converted({ file: upload(letter, "a.docx") })).info.Tagged).toBe("no");
  });
});

describe("the type is found by content", () => {
  test.each([
    ["whatever the name", letter, "letter.pdf", "Dear reader"],
    ["without an extension", prices, "prices", "Paper"],
    ["a .doc that is RTF", "{\\rtf1\\ansi Dear RTF}", "a.doc", "Dear RTF"],
    ["a .doc that is HTML", "<html><body><p>Dear HTML</p></body></html>", "a.doc", "Dear HTML"],
    ["an .xls that is CSV", "name,price\nPaper,3.5\n", "a.xls", "Paper"],
    ["an .xls that is HTML", "<table><tr><td>Paper<td>3.5</table>", "a.xls", "Paper"],
  ])("%s", async (_, content, name, expected) => {
    const file = new File([Buffer.from(content)], name, { type: "application/pdf" });
    expect((await converted({ file })).text).toContain(expected);
  });

  test.each([
    ["an empty file", "", "a.docx"],
    ["a program", readFileSync("/bin/true"), "a.doc"],
    ["text that says it is a document", "Hello", "a.docx"],
    ["a zip of something else", zip({ "a.txt": "Hello" }), "a.docx"],
    ["half a document", letter.subarray(0, 900), "a.docx"],
    ["a GIF", "GIF89a\x01\0\x01\0\0\0\0;", "a.gif"],
  ])("%s: 400", async (_, content, name) => {
    expect(await error({ file: upload(content, name) })).toEqual([400, NOT_VALID]);
  });

  test("a PDF: 400", async () => {
    expect(await error({ file: upload(await textPdf(1), "a.docx") })).toEqual([400, NOT_VALID]);
  });
});

describe("inputs", () => {
  test("exactly one of file, id and url", async () => {
    const file = upload(letter, "a.docx");
    const { body } = await privateClient().post("/pdf", { file, output: "a" });
    const id = body.inputId!;
    const url = "https://example.com/";
    expect(await error({})).toEqual([400, "This route needs a File, an ID or a URL."]);
    expect(await error({ file, id })).toEqual([400, "This route will only accept a File or an ID, not both."]);
    for (const fields of [
      { file, url },
      { id, url },
    ]) {
      expect(await error(fields)).toEqual([400, "This route will only accept one of a File, an ID or a URL."]);
    }
    expect(await error({ url: [url, url] })).toEqual([400, "Found more than one url key, only one is allowed."]);
    expect((await error({ file: [file, file] }))[0]).toBe(400);
    expect(await error({ id: "1d0c1f2a5-0000-4000-8000-000000000000" })).toEqual([404, "That file does not exist"]);
  });

  test("url: 400 for what is no address of a web page", async () => {
    expect(await error({ url: "file:///etc/passwd" })).toEqual([
      400,
      beginning("file:///etc/passwd is not within the acceptable range for url."),
    ]);
  });

  test("output is required", async () => {
    expect(await error({ file: upload(letter, "a.docx"), output: "" })).toEqual([
      400,
      "The 'output' field is required.",
    ]);
  });
});

describe("spec: every option is checked, also where it does not apply", () => {
  test.each([
    ["compression", "zip"],
    ["downsample", "100"],
    ["downsample", "OFF"],
    ["tagged_pdf", "yes"],
    ["page_size", "a4"],
    ["page_margin", "1"],
    ["page_margin", "1cm"],
    ["page_margin", "-1in"],
    ["page_orientation", "upright"],
    ["web_layout", "watch"],
  ])("%s=%s", async (parameter, value) => {
    expect(await error({ file: upload(letter, "a.docx"), [parameter]: value })).toEqual([
      400,
      beginning(`${value} is not within the acceptable range for ${parameter}.`),
    ]);
  });

  test("all that the spec allows", async () => {
    const choices: Record<string, string[]> = {
      compression: ["lossy", "lossless"],
      downsample: ["off", "75", "150", "300", "600", "1200"],
      page_size: ["letter", "legal", "ledger", "A3", "A4", "A5"],
      page_margin: ["0in", "0.5in", "12.7mm"],
      page_orientation: ["portrait", "landscape"],
      web_layout: ["desktop", "tablet", "mobile"],
    };
    for (const [parameter, values] of Object.entries(choices)) {
      for (const value of values) {
        const { status } = await privateClient().post("/pdf", {
          file: upload(letter, "a.docx"),
          output: "a",
          [parameter]: value,
        });
        expect(status, `${parameter}=${value}`).toBe(200);
      }
    }
  });
});

test("the options of Office documents are checked, and a sheet that is missing is named", async () => {
  const file = upload(prices, "prices.xlsx");
  const unknown = "Nope is not within the acceptable range for sheets[]. The document has no such sheet.";
  expect(await error({ file, "sheets[]": ["1", "Nope"] })).toEqual([400, unknown]);
  expect((await error({ file, locale: "Germany" }))[0]).toBe(400);
  expect(await error({ file, password: "a", current_open_password: "b" })).toEqual([
    400,
    "Found more than one current_open_password key, only one is allowed.",
  ]);
  const options = { "sheets[]": "1", locale: "de-DE", page_orientation: "landscape" };
  const { text, info } = await converted({ file, ...options });
  expect([text, info["Page size"]]).toEqual([
    expect.stringMatching(/Paper\s+3,5/),
    expect.stringMatching(/^792 x 612 /),
  ]);
});

describe.skipIf(corpusDir === undefined)("real documents", () => {
  const office = (name: string) => upload(readFileSync(join(corpusDir!, "office", name)), name);

  test("downsample: pictures have less resolution, and the file is smaller", async () => {
    const deck = { file: office("O12Typical.pptx") };
    const asTheyAre = await converted({ ...deck, downsample: "off" });
    const low = await converted({ ...deck, downsample: "75" });
    expect(highestResolution(asTheyAre.bytes)).toBeGreaterThan(200);
    expect(highestResolution(low.bytes)).toBeLessThanOrEqual(75);
    expect(low.bytes.length).toBeLessThan(asTheyAre.bytes.length / 2);
  });

  test.each(["example_password.xlsx", "rc4cryptoapi_password.doc", "rc4cryptoapi_password.ppt"])(
    "%s is locked: 401",
    async (name) => {
      expect(await error({ file: office(name) })).toEqual([401, LOCKED]);
    },
  );

  test("a locked document opens with its password", async () => {
    const locked = { file: office("example_password.xlsx") };
    expect((await converted({ ...locked, password: "Password1234_" })).text).toMatch(/lorem\s+ipsum/);
    const merge = { file: [locked.file, upload(letter, "letter.docx")], current_open_password: "Password1234_" };
    const order = { "type[]": ["file", "file"], "pages[]": ["all", "all"] };
    const [merged] = await privateClient().make("/merged-pdf", { output: "merged", ...merge, ...order });
    expect(textAndInfoOf(merged!.bytes).text).toMatch(/lorem\s+ipsum\s+Dear reader/);
    expect(await error({ ...locked, current_open_password: "wrong" })).toEqual([401, LOCKED]);
  });

  test("Corrupted-document.docx: 400", async () => {
    expect(await error({ file: office("Corrupted-document.docx") })).toEqual([400, NOT_VALID]);
  });

  test.each(["test_multi_page.doc", "27template.xls", "test_multi_page.ppt", "PresFontsSubst.pptx"])(
    "%s",
    async (name) => {
      const { info } = await converted({ file: office(name) });
      expect(Number(info.Pages)).toBeGreaterThan(0);
    },
  );
});

describe("the container goes and comes", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ variant: "private", container: ["office", "threads"] });
  });
  afterAll(() => service?.stop());

  /** Counts the objects in the service's bucket. */
  async function storedFiles(): Promise<number> {
    await using storage = await openStoredFiles(service);
    return await storage.count();
  }

  test("killed between two jobs: the next one is begun again, and the others work", async () => {
    const client = createClient(service.url);
    const ask = () => client.post("/pdf", { file: upload(letter, "a.docx"), output: "a" });
    expect((await ask()).status).toBe(200);
    process.kill(service.container!.pid!, "SIGKILL");
    const [late, beside] = await Promise.all([
      ask(),
      client.post("/png", { file: upload(await squarePdf()), output: "a" }),
    ]);
    expect([late.status, beside.status]).toEqual([200, 200]);
  });

  test("killed in the middle of a job: it is begun again", async () => {
    const client = createClient(service.url);
    const body = Array.from({ length: 2000 }, (_, page) => paragraph(`Page ${page}`) + pageBreak).join("");
    const answer = client.post("/pdf", { file: upload(docx({ body }), "long.docx"), output: "a" });
    const pid = service.container!.pid!;
    await officeAtWork(pid);
    process.kill(pid, "SIGKILL");
    const { status, body: told } = await answer;
    const fields = ["outputUrl", "outputId", "inputId", "outputSize", "notices", "substitutedFonts"];
    expect([status, Object.keys(told)]).toEqual([200, fields]);
  });

  test("killed as often as a job is begun: 503 with Retry-After, and nothing is stored", async () => {
    const client = createClient(service.url);
    const before = await storedFiles();
    const body = Array.from({ length: 2000 }, (_, page) => paragraph(`Page ${page}`) + pageBreak).join("");
    const asking = client.post("/pdf", { file: upload(docx({ body }), "long.docx"), output: "a" });
    let isAnswered = false;
    const answer = asking.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      const pid = service.container!.pid!;
      const isAtWork = officeProcesses(pid).length > 0;
      if (isAtWork) process.kill(pid, "SIGKILL");
      await sleep(isAtWork ? 500 : 20);
    }
    const { status, body: told, headers } = await answer;
    expect([status, told.error]).toEqual([503, "The service is busy, please try again later."]);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await storedFiles()).toBe(before);
    await eventually(async () =>
      expect((await client.post("/pdf", { file: upload(letter, "a.docx"), output: "a" })).status).toBe(200),
    );
  });

  test("a PDF too large for the edge is rasterized there", async () => {
    const large = Buffer.concat([await squarePdf(), Buffer.alloc(60 * 2 ** 20, "% nothing\n")]);
    const small = await createClient(service.url).make("/png", { file: upload(await squarePdf()), output: "a" });
    const made = await createClient(service.url).make("/png", { file: upload(large), output: "a" });
    expect(Buffer.from(made[0]!.bytes).equals(small[0]!.bytes)).toBe(true);
  });
});

describe("without a container", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ variant: "private" });
  });
  afterAll(() => service?.stop());

  test("Office: 503; a PDF too large for the edge: 413", async () => {
    const client = createClient(service.url);
    const office = await client.post("/pdf", { file: upload(letter, "a.docx"), output: "a" });
    expect([office.status, office.headers.has("Retry-After")]).toEqual([503, true]);
    const large = Buffer.concat([await squarePdf(), Buffer.alloc(60 * 2 ** 20, "% nothing\n")]);
    expect((await client.post("/png", { file: upload(large), output: "a" })).status).toBe(413);
  });
});
