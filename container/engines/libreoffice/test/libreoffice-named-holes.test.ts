// Tests that LibreOffice's named holes (docs/known-holes.md) leave no trace, fixed or not: documents that try each one
// that can be tried without harm.
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flatOpenDocument } from "../../../../test/fixtures/office.ts";
import {
  canarySize,
  connectionsSoFar,
  convertWithoutTrace,
  local,
  openCanaries,
  ran,
  web,
} from "../../../../test/support/canaries.ts";
import {
  convert,
  failsWith,
  openOffices,
  picturesIn,
  save,
  scratch,
  soffice,
  zygote,
} from "../../../../test/support/libreoffice.ts";
import { run } from "../../../processes/process.ts";
import { PROGRAM_FOLDER, SOFFICE } from "../profile.ts";

openOffices();
openCanaries();

/** Returns a text whose page, paragraph, section and table have linked pictures as background. */
function backgrounds(): Buffer {
  const image = (address: string) =>
    `<style:background-image xlink:href="${address}" xlink:type="simple" xlink:actuate="onLoad" style:repeat="no-repeat"/>`;
  const style = (name: string, family: string, address: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:${family}-properties>${image(address)}</style:${family}-properties></style:style>`;
  const page = `<style:page-layout style:name="L"><style:page-layout-properties>${image(web("page.png"))}</style:page-layout-properties></style:page-layout>`;
  const styles = `${page}${style("P", "paragraph", local("canary.png"))}${style("S", "section", web("section.png"))}${style("T", "table", local("canary.png"))}`;
  return flatOpenDocument(
    "text",
    `<office:automatic-styles>${styles}</office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L"/></office:master-styles><office:body><office:text><text:p text:style-name="P">before</text:p><text:section text:name="s" text:style-name="S"><text:p>section</text:p></text:section><table:table table:name="t" table:style-name="T"><table:table-column/><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table></office:text></office:body>`,
  );
}

/** Returns two slides whose backgrounds are linked pictures. */
function filled(): Buffer {
  const addresses = [web("slide.png"), local("canary.png")];
  const fills = addresses.map(
    (address, index) =>
      `<draw:fill-image draw:name="f${index}" xlink:href="${address}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>`,
  );
  const styles = addresses.map(
    (_, index) =>
      `<style:style style:name="p${index}" style:family="drawing-page"><style:drawing-page-properties draw:fill="bitmap" draw:fill-image-name="f${index}" style:repeat="no-repeat"/></style:style>`,
  );
  const slides = addresses.map(
    (_, index) =>
      `<draw:page draw:name="s${index}" draw:style-name="p${index}"><draw:frame svg:x="1cm" svg:y="1cm" svg:width="9cm" svg:height="3cm"><draw:text-box><text:p>before</text:p></draw:text-box></draw:frame></draw:page>`,
  );
  return flatOpenDocument(
    "presentation",
    `<office:styles>${fills.join("")}</office:styles><office:automatic-styles>${styles.join("")}</office:automatic-styles><office:body><office:presentation>${slides.join("")}</office:presentation></office:body>`,
  );
}

/** Returns a sheet that takes values from a CSV file. */
const provided = (address: string): Buffer =>
  flatOpenDocument(
    "spreadsheet",
    `<office:body><office:spreadsheet><table:table table:name="Sheet1"><table:table-row><table:table-cell office:value-type="string"><text:p>before</text:p></table:table-cell></table:table-row></table:table><table:database-ranges><table:database-range table:name="data" table:target-range-address="Sheet1.B1:Sheet1.C4"/></table:database-ranges><calcext:data-mappings xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"><calcext:data-mapping xlink:href="${address}" xlink:type="simple" calcext:provider="org.libreoffice.calc.csv" calcext:database-name="data"/></calcext:data-mappings></office:spreadsheet></office:body>`,
  );

/** Returns an HTML page whose macro runs when it opens. */
const loading = (): string =>
  `<html><head><script language="StarBasic">
<!--
' $LIBRARY: Standard
' $MODULE: M
Sub Main
Open "${ran()}" For Output As #1
Close #1
End Sub
// --></script></head><body onload="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" sdonload="macro:///Standard.M.Main"><p>before</p></body></html>`;

type Tried = readonly [hole: string, extension: string, content: () => Buffer | string];

const fetching: readonly Tried[] = [
  ["CVE-2026-18565: backgrounds of a text", "odt", backgrounds],
  ["CVE-2026-18565: backgrounds of slides", "odp", filled],
];
const quiet: readonly Tried[] = [
  ["CVE-2026-63267: values from the web", "ods", () => provided(web("values.csv"))],
  ["CVE-2026-63267: values from a file", "ods", () => provided(local("canary.csv"))],
  ["CVE-2026-101930: a macro of an HTML page", "doc", loading],
];

/** Converts a document as LibreOffice does without a sandbox and with its own settings. @returns the PDF's path */
async function unconfined(folder: string, [, extension, content]: Tried): Promise<string> {
  const input = join(folder, `in.${extension}`);
  await writeFile(input, content());
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const args = [profile, "--headless", "--convert-to", "pdf", "--outdir", folder, input];
  await run(SOFFICE, args, { cwd: folder, limits: { timeoutMs: 60_000 }, network: true });
  return join(folder, "in.pdf");
}

test.each(fetching)("works without a sandbox: %s", async (...tried) => {
  await using folder = await scratch.folder();
  const before = connectionsSoFar();
  const made = await unconfined(folder.path, tried);
  expect(connectionsSoFar()).toBeGreaterThan(before);
  expect(picturesIn(made)).toContain(canarySize);
});

describe.each(["zygote", "soffice"])("by %s", (mode) => {
  test.each([...fetching, ...quiet])("leaves no trace: %s", async (_, extension, content) => {
    const office = mode === "zygote" ? zygote : soffice;
    const converted = await convertWithoutTrace(office, await save(content(), extension));
    if (converted instanceof Error) throw converted;
    expect(converted.text).toContain("before");
  });

  test("CVE-2026-63273, 63274, 84234 and 97892: no importer of PDF sees a file", async () => {
    const text = "%PDF-1.4 is how a PDF starts.";
    const path = await save(`A text: ${text}`, "doc");
    expect((await convert(mode === "zygote" ? zygote : soffice, path)).text).toContain(text);
  });
});

test("a PDF itself is rejected", async () => {
  const converted = convert(zygote, await save("%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj", "doc"));
  await expect(converted).rejects.toEqual(failsWith("unsupported"));
});

test.each([
  ["CVE-2026-63277, 104007, 104692 and 104920: databases of Java", "libjdbclo.so"],
  ["CVE-2026-101353: HSQLDB", "libhsqldb.so"],
  ["CVE-2026-63266 and 97999: Firebird", "libfirebird_sdbclo.so"],
  ["CVE-2026-63268: text files as databases", "libflatlo.so"],
  ["CVE-2026-76181: dBASE", "libdbaselo.so"],
  ["CVE-2026-63269 and 104933: GStreamer", "libavmediagst.so"],
  ["CVE-2026-84443: documents of Base", "libdbulo.so"],
])("what has the hole is not installed: %s", (_, library) => {
  expect(existsSync(join(PROGRAM_FOLDER, "libmergedlo.so"))).toBe(true);
  expect(existsSync(join(PROGRAM_FOLDER, library))).toBe(false);
});
