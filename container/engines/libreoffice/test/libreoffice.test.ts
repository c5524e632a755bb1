// Tests conversions with the zygote and with plain soffice: output, limits, confinement and leftover files.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { docx, excel2, flatOpenDocument, pageBreak, paragraph, xlsx, zip } from "../../../../test/fixtures/office.ts";
import { row, workbook } from "../../../../test/fixtures/workbooks.ts";
import { corpusDir } from "../../../../test/support/corpus.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  attempt,
  convert,
  documents,
  failsWith,
  logged,
  openOffices,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";
import { aChild, childrenOf, isRunning, sofficeAtWork } from "../../../../test/support/processes.ts";
import { Scratch } from "../../../scratch/scratch.ts";

openOffices();

/**
 * Returns a workbook with the given number of rows on each sheet. The text of each row continues over dozens of pages.
 */
const longTexts = (sheets: readonly number[]) =>
  workbook(
    sheets.map((rows, index) => {
      const texts = Array.from({ length: rows }, (_, at) => row(at + 1, "All work and no play. ".repeat(180)));
      return { name: `Data${index}`, content: `<sheetData>${texts.join("")}</sheetData>` };
    }),
  );

/** A document that keeps LibreOffice busy for seconds. */
const longDocument = () => docx({ body: paragraph("All work and no play. ".repeat(60)).repeat(3000) });

const threePages = [1, 2, 3].map((n) => paragraph(`Page ${n}`)).join(pageBreak);

test("the warm way is chosen here, and the log says so", () => {
  expect(zygote.mode).toBe("zygote");
  expect(logged[0]?.details).toMatchObject({ mode: "zygote", version: expect.stringMatching(/^\d+\.\d+/) });
});

test("where the zygote is not ready the plain way is chosen, and the log says why", () => {
  expect(soffice.mode).toBe("soffice");
  expect(logged[1]?.details).toMatchObject({ mode: "soffice", reason: expect.stringContaining("not built") });
});

describe.each(["zygote", "soffice"])("by %s", (mode) => {
  const office = () => (mode === "zygote" ? zygote : soffice);

  test("a text has its pages, paper, title, author and headings", async () => {
    const a5 = '<w:sectPr><w:pgSz w:w="8391" w:h="11906"/></w:sectPr>';
    const body = `${paragraph("First", "Heading1")}${threePages}${a5}`;
    const path = await save(docx({ body, title: "A title", author: "An author" }), "docx");
    const { pages, text, info, bytes } = await convert(office(), path);
    expect(pages).toBe(3);
    expect(text).toContain("Page 3");
    expect(info).toMatchObject({ Title: "A title", Author: "An author", Tagged: "no" });
    expect(info["Page size"]).toMatch(/^419\.\d+ x 595\.\d+ pts/);
    expect(bytes.toString("latin1")).toContain("/Outlines");
  });

  test("tagged, it has structure, the document's language, and title", async () => {
    const path = await save(docx({ body: paragraph("Guten Tag"), language: "de-DE", title: "Titel" }), "docx");
    const { info, bytes } = await convert(office(), path, { tagged: true });
    expect(info).toMatchObject({ Tagged: "yes", Title: "Titel" });
    expect(bytes.toString("latin1")).toContain("/Lang(de-DE)");
  });

  test("a sheet is printed on its own paper", async () => {
    const cells = '<row r="1"><c r="A1"><v>42</v></c><c r="B1"><f>A1*2</f></c></row>';
    const { pages, text, info } = await convert(office(), await save(xlsx(cells, 9), "xlsx"));
    expect({ pages, text: text.split(/\s+/).filter(Boolean) }).toEqual({ pages: 1, text: ["42", "84"] });
    expect(info["Page size"]).toContain("(A4)");
  });

  test("a sheet of before OLE is read", async () => {
    expect((await convert(office(), await save(excel2("As in 1987"), "xls"))).text).toContain("As in 1987");
  });

  test("a document that is damaged is told so", async () => {
    const whole = docx({ body: threePages });
    const path = await save(whole.subarray(0, whole.length / 2), "docx");
    await expect(attempt(office(), path)).rejects.toEqual(failsWith("damaged"));
  });

  test("scratch folders are gone after success and failure", async () => {
    const before = readdirSync(scratch.path);
    await convert(office(), await save(docx({ body: paragraph("x") }), "docx"));
    await expect(attempt(office(), await save("", "docx"))).rejects.toEqual(failsWith("damaged"));
    expect(readdirSync(scratch.path)).toEqual(before);
  });

  test("a document that takes too long is ended", async () => {
    const path = await save(longDocument(), "docx");
    await expect(attempt(office(), path, { timeoutMs: 300 })).rejects.toEqual(failsWith("timed-out"));
  });
});

describe.each(["zygote", "soffice"])("by content, whatever the name says, by %s", (mode) => {
  test.each([
    ["RTF", "doc", "{\\rtf1\\ansi Hello from RTF}", "Hello from RTF"],
    ["HTML", "doc", "<html><body><p>Hello</p><p>from HTML</p></body></html>", "Hello"],
    ["HTML that does not end", "xls", "<div>Hello</div><b>42</b>", "42"],
    ["a part of a page", "doc", "<br/><section>Hello 42</section>", "Hello 42"],
    ["HTML", "xls", "<html><body><table><tr><td>Hello</td><td>42</td></tr></table></body></html>", "42"],
    ["CSV", "xls", "Name,Value\nHello,42\n", "42"],
    ["CSV with semicolons", "xls", "Name;Value\nGünter;42\n", "Günter\n42"],
    ["CSV with commas in quotation marks", "xls", '"a,b,c";Value\nx;42\n', "x\n42"],
    ["CSV with tabs in UTF-16", "xls", Buffer.from("\ufeffName\tValue\nGünter\t42\n", "utf16le"), "Günter\n42"],
    ["CSV that names its separator", "csv", "sep=|\na, b|c\nx|42\n", "x\n42"],
    ["CSV of Windows", "xls", Buffer.from("Name;Value\nGünter;42\n", "latin1"), "Günter\n42"],
    ["a text", "docx", docx({ body: paragraph("Hello") }), "Hello"],
    ["a text", "doc", docx({ body: paragraph("Hello") }), "Hello"],
    ["a text", "xlsx", docx({ body: paragraph("Hello") }), "Hello"],
  ])("%s named .%s is converted", async (_, extension, content, text) => {
    const office = mode === "zygote" ? zygote : soffice;
    expect((await convert(office, await save(content, extension))).text.replaceAll("\n\n", "\n")).toContain(text);
  });
});

describe("what is none", () => {
  test.each([
    ["a PDF", () => Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"), "docx"],
    ["a program", () => readFileSync(process.execPath).subarray(0, 1_000_000), "doc"],
    ["a program", () => readFileSync(process.execPath).subarray(0, 1_000_000), "xls"],
    ["a program", () => readFileSync(process.execPath).subarray(0, 1_000_000), "pptx"],
    ["a zip of something else", () => zip({ "readme.txt": "nothing" }), "docx"],
  ] as const)("%s, whatever its name, is refused (%#)", async (_, content, extension) => {
    const refused = attempt(zygote, await save(content(), extension));
    await expect(refused).rejects.toMatchObject({ reason: expect.stringMatching(/^(unsupported|damaged)$/) });
  });
});

test("hidden slides are left out", async () => {
  const style = (name: string, visibility: string) =>
    `<style:style style:name="${name}" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="${visibility}"/></style:style>`;
  const slide = (text: string, page: string) =>
    `<draw:page draw:name="${text}" draw:style-name="${page}"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="9cm" svg:height="3cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`;
  const content = `<office:automatic-styles>${style("shown", "visible")}${style("not", "hidden")}</office:automatic-styles><office:body><office:presentation>${slide("One", "shown")}${slide("Two", "not")}${slide("Three", "shown")}</office:presentation></office:body>`;
  const { pages, text } = await convert(zygote, await save(flatOpenDocument("presentation", content), "fodp"));
  expect(pages).toBe(2);
  expect(text).not.toContain("Two");
});

describe.each(["zygote", "soffice"])("locked by a password, by %s", (mode) => {
  /** Returns a workbook whose second record is replaced by FilePass ([MS-XLS] 2.4.117), which marks it as encrypted. */
  function lockedWorkbook(): Buffer {
    const bytes = readFileSync(join(import.meta.dirname, "../../../dist/samples/sheet.xls"));
    bytes.writeUInt16LE(0x2f, bytes.indexOf("0908100000060500", "hex") + 20);
    return bytes;
  }
  const agile = () => readFileSync(join(corpusDir as string, "office/example_password.xlsx"));

  test.each<[extension: string, bytes: () => Buffer]>([
    ["xls", lockedWorkbook],
    ...(corpusDir === undefined
      ? []
      : (["docx", "pptx", "xlsx", "doc"] as const).map((it): [string, () => Buffer] => [it, agile])),
  ])(".%s", async (extension, bytes) => {
    const path = await save(bytes(), extension);
    const answer = attempt(mode === "zygote" ? zygote : soffice, path);
    await expect(answer).rejects.toEqual(failsWith("password-protected"));
  });
});

test("where all slides are hidden, they are shown", async () => {
  const hidden = `<office:automatic-styles><style:style style:name="not" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style></office:automatic-styles>`;
  const slides = ["One", "Two"].map(
    (text) =>
      `<draw:page draw:name="${text}" draw:style-name="not"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="9cm" svg:height="3cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
  );
  const content = `${hidden}<office:body><office:presentation>${slides.join("")}</office:presentation></office:body>`;
  const path = await save(flatOpenDocument("presentation", content), "fodp");
  for (const office of [zygote, soffice]) {
    const { pages, text } = await convert(office, path);
    expect({ pages, text: text.split(/\s+/).filter(Boolean) }).toEqual({ pages: 2, text: ["One", "Two"] });
  }
});

describe("trouble in the plain way", () => {
  test("an aborted job ends its process and throws the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("client gone");
    const aborted = attempt(soffice, await save(longDocument(), "docx"), {}, controller.signal);
    const outcome = expect(aborted).rejects.toBe(reason);
    const pid = await sofficeAtWork(process.pid);
    controller.abort(reason);
    await outcome;
    expect(isRunning(pid)).toBe(false);
  });
});

describe("trouble in the zygote", () => {
  const small = () => save(docx({ body: threePages }), "docx");
  const works = async () => expect((await convert(zygote, await small())).pages).toBe(3);

  test("an aborted job ends its child and throws the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("client gone");
    const aborted = attempt(zygote, await save(longDocument(), "docx"), {}, controller.signal);
    const outcome = expect(aborted).rejects.toBe(reason);
    const child = await aChild(zygote);
    controller.abort(reason);
    await outcome;
    expect(existsSync(`/proc/${child}`)).toBe(false);
    await works();
  });

  test("an aborted job that waits for its turn never starts, and those behind it do", async () => {
    const busy = [1, 2].map(async () => attempt(zygote, await save(longDocument(), "docx"), { timeoutMs: 1_000 }));
    const outcomes = busy.map((job) => expect(job).rejects.toEqual(failsWith("timed-out")));
    // On a busy machine, both children can end unseen.
    await Promise.race([aChild(zygote), Promise.all(outcomes)]);
    const controller = new AbortController();
    const waiting = attempt(zygote, await small(), {}, controller.signal);
    const behind = convert(zygote, await small());
    controller.abort(new Error("client gone"));
    await expect(waiting).rejects.toThrow("client gone");
    await Promise.all(outcomes);
    expect((await behind).pages).toBe(3);
  });

  test("a document that wants more memory than its limit is told so", async () => {
    const path = await save(docx({ body: paragraph("x").repeat(100_000) }), "docx");
    await expect(attempt(zygote, path, { memoryBytes: 16 * 2 ** 20 })).rejects.toEqual(failsWith("too-large"));
    await works();
  });

  test("a document whose PDF is longer than allowed is told so", async () => {
    const path = await save(longDocument(), "docx");
    await expect(attempt(zygote, path, { fileBytes: 10_000 })).rejects.toEqual(failsWith("too-large"));
  });

  test("a document that uses more processor time than allowed is ended", async () => {
    const path = await save(longDocument(), "docx");
    await expect(attempt(zygote, path, { cpuSeconds: 1 })).rejects.toEqual(failsWith("timed-out"));
  });

  test.each([
    ["one sheet", [400]],
    ["two sheets", [20, 400]],
    ["a small sheet behind it", [400, 1]],
  ])("a workbook whose pages would take longer than allowed is refused before they are made: %s", async (_, rows) => {
    const path = await save(longTexts(rows), "xlsx");
    await expect(attempt(zygote, path, { cpuSeconds: 3 })).rejects.toMatchObject({
      reason: "too-complex",
      why: expect.stringMatching(/^The document has [\d,]+ pages on paper; about \d+ such pages can be made\.$/),
    });
  });

  test("a workbook of many pages that are quickly made is converted", async () => {
    const numbers = Array.from({ length: 4000 }, (_, index) => String(index)).join("\n");
    expect((await convert(zygote, await save(numbers, "csv"), { cpuSeconds: 30 })).text).toContain("3999");
  });

  test("fifty documents in a row leave no process and no file behind", async () => {
    const path = await small();
    await works();
    const left = () => ({
      children: childrenOf(zygote.pid as number),
      files: readdirSync(scratch.path, { recursive: true }),
    });
    const before = left();
    for (let i = 0; i < 50; i++) await convert(zygote, path);
    expect(left()).toEqual(before);
    expect(before.children).toEqual([]);
  });

  test("ends with the service, even if that is killed in mid-job", async () => {
    const path = await save(longDocument(), "docx");
    const engine = join(import.meta.dirname, "../libreoffice.ts");
    const scratchModule = join(import.meta.dirname, "../../../scratch/scratch.ts");
    const script = `
      import { startLibreOffice } from ${JSON.stringify(engine)};
      import { Scratch } from ${JSON.stringify(scratchModule)};
      const office = await startLibreOffice({ scratch: await Scratch.open(${JSON.stringify(documents)}), log() {} });
      console.log(office.pid);
      await office.convertToPdf(${JSON.stringify(path)}, { tagged: false, lossless: false });`;
    const service = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = Number(await new Promise((resolve) => service.stdout.once("data", resolve)));
    await eventually(() => expect(childrenOf(pid)).not.toEqual([]));
    const pids = [pid, ...childrenOf(pid)];
    const ended = once(service, "exit");
    service.kill("SIGKILL");
    await ended;
    await eventually(() => expect(pids.filter((one) => existsSync(`/proc/${one}`))).toEqual([]));
    // Opening the next scratch folder deletes what a killed server left behind.
    await using next = await Scratch.open(documents);
    expect(readdirSync(documents).filter((name) => name.startsWith("pagewright-"))).toEqual([
      next.path.slice(documents.length + 1),
    ]);
  });
});

describe.runIf(corpusDir !== undefined)("real documents", () => {
  const office = (name: string) => join(corpusDir as string, "office", name);

  test.each([
    ["27template.xls", 2],
    ["30templatebiff5.xls", 2],
    ["Comment045.docx", 2],
    ["Complex01.docx", 13],
    ["Complex01.xlsx", 5],
    ["HandoutExample.pptx", 28],
    ["O12Typical.pptx", 14],
    ["PerformanceArabic.xlsx", 153],
    ["PresFontsSubst.pptx", 2],
    ["Rendering.docx", 5],
    ["TestFile.Source.doc", 2],
    ["column2.docx", 12],
    ["handbook-872p.docx", 437],
    ["test_multi_page.doc", 3],
    ["test_multi_page.ppt", 4],
  ])("%s has %i pages", async (name, pages) => {
    expect((await convert(zygote, office(name))).pages).toBe(pages);
  });

  describe.each(["zygote", "soffice"])("by %s", (mode) => {
    test.each([
      ["example_password.xlsx", "password-protected"],
      ["rc4cryptoapi_password.doc", "password-protected"],
      ["rc4cryptoapi_password.ppt", "password-protected"],
      ["Corrupted-document.docx", "damaged"],
      // One part of the document is damaged. LibreOffice alone would write an empty page.
      ["issue252.xlsx", "damaged"],
    ])("%s is %s", async (name, reason) => {
      await expect(attempt(mode === "zygote" ? zygote : soffice, office(name))).rejects.toEqual(failsWith(reason));
    });
  });
});
