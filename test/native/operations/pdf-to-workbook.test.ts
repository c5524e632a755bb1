// Opens a workbook in LibreOffice, which states types, formats and merged cells.
// Contract: docs/api.md#excel
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SOFFICE } from "../../../container/engines/libreoffice/profile.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { parseXml } from "../../../src/document/formats/xml.ts";
import { pdfToWorkbook } from "../../../src/operations/pdf-to-workbook.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { HOSTILE_PDFS } from "../../support/hostile-pdfs.ts";
import { outputsOf, reasonOf } from "../../support/operations.ts";

const convert = (pdf: Uint8Array, pages = "1-last") => outputsOf(pdfToWorkbook, [pdf], { pages: parsePages(pages)! });

/** A cold start of LibreOffice can take long on a busy machine. */
const OPENED_WITHIN_MS = 120_000;

/** Text that looks like an escaped character in a workbook. */
const ODD = "a_x0041_b";
const TABLE = [
  ["Name", "Amount", "Share", "Due", "Code"],
  ["=HYPERLINK\\(1\\)", "$1,234.50", "12.5%", "2024-03-01", "0042"],
  ['<b> & "c"', "\\($7.25\\)", "-3%", "2023-12-31", "1234"],
  [ODD, "$10.00", "0%", "2020-02-29", "9999"],
];

/** Draws a table with lines around its cells, below a title over all columns. */
function tablePdf(): Uint8Array {
  const shown = (text: string, x: number, y: number) => `BT /F 6 Tf ${x} ${y} Td (${text}) Tj ET `;
  const rows = TABLE.flatMap((row, y) => row.map((text, x) => shown(text, 12 + x * 56, 143 - y * 20)));
  const across = [180, 160, 140, 120, 100, 80].map((y) => `10 ${y} m 290 ${y} l S `);
  const down = [10, 66, 122, 178, 234, 290].map((x, at) => `${x} 80 m ${x} ${at % 5 === 0 ? 180 : 160} l S `);
  const builder = new PdfBuilder();
  builder.page([shown("All of the amounts", 100, 165), ...rows, ...across, ...down].join(""));
  builder.page(shown("A page without tables", 40, 100));
  builder.page(TABLE.map((row, y) => shown(row[0]!, 20, 150 - y * 12) + shown(row[4]!, 200, 150 - y * 12)).join(""));
  return builder.bytes();
}

interface Opened {
  readonly name: string;
  /** Type, value and style of each cell. */
  readonly rows: readonly (readonly string[])[];
}

/** Converts a workbook to a spreadsheet in XML, and reads it. */
function openedInLibreOffice(workbook: Uint8Array): readonly Opened[] {
  const folder = mkdtempSync(join(tmpdir(), "workbook-"));
  try {
    writeFileSync(join(folder, "a.xlsx"), workbook);
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    execFileSync(SOFFICE, ["--headless", profile, "--convert-to", "fods", "--outdir", folder, join(folder, "a.xlsx")], {
      stdio: "ignore",
    });
    const document = parseXml(readFileSync(join(folder, "a.fods"), "utf8"), {
      ...{ characters: 2 ** 24, nodes: 100_000, depth: 100 },
    })!;
    return Array.from(document.getElementsByTagName("table:table")).map((table) => ({
      name: table.getAttribute("table:name")!,
      rows: Array.from(table.getElementsByTagName("table:table-row")).map((row) =>
        Array.from(row.getElementsByTagName("table:table-cell")).map((cell) => {
          const [type, spans] = [
            cell.getAttribute("office:value-type"),
            cell.getAttribute("table:number-columns-spanned"),
          ];
          const formula = cell.getAttribute("table:formula");
          return [type, cell.textContent!.trim(), spans ? `over ${spans}` : "", formula ? "formula" : ""]
            .join(" ")
            .trim();
        }),
      ),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("LibreOffice opens the workbook", () => {
  let sheets: readonly Opened[];
  beforeAll(async () => {
    sheets = openedInLibreOffice((await convert(tablePdf()))[0]!);
  }, OPENED_WITHIN_MS);

  test("with a sheet for each table", () => {
    expect(sheets.map(({ name }) => name)).toEqual(["Table 1 (page 1)", "Table 2 (page 3)"]);
  });

  test("with merged cells, numbers as in the document, and text that is no formula", () => {
    expect(sheets[0]!.rows.map((row) => row.filter((cell) => cell !== ""))).toEqual([
      ["string All of the amounts over 5"],
      ["string Name", "string Amount", "string Share", "string Due", "string Code"],
      ["string =HYPERLINK(1)", "currency $1,234.50", "percentage 12.5%", "date 2024-03-01", "string 0042"],
      ['string <b> & "c"', "currency ($7.25)", "percentage -3%", "date 2023-12-31", "string 1234"],
      [`string ${ODD}`, "currency $10.00", "percentage 0%", "date 2020-02-29", "string 9999"],
    ]);
  });
});

test("selected pages, and a document without tables", async () => {
  const notices: string[] = [];
  const input = { name: "a.pdf", size: 1, bytes: async () => tablePdf(), async *stream() {} };
  const context = { signal: AbortSignal.timeout(60_000), heapLimitBytes: 2 ** 26, log() {}, defer() {} };
  for await (const { body, notices: found } of pdfToWorkbook.run([input], { pages: parsePages("2")! }, context)) {
    for await (const _ of body as AsyncIterable<Uint8Array>);
    notices.push(...found!().map(({ code }) => code));
  }
  expect(notices).toEqual(["no-tables"]);
  await expect(convert(tablePdf(), "4")).rejects.toThrow();
  expect(await reasonOf(() => convert(new Uint8Array(10)))).toBe("not-a-pdf");
});

test.each(HOSTILE_PDFS.filter(({ name }) => /glyph|array|tree/.test(name)))("$name ends", async ({ bytes }) => {
  expect(await reasonOf(() => convert(bytes()))).toMatch(
    /^(?:none|damaged|not-a-pdf|too-complex|too-large|password-protected)$/,
  );
});
