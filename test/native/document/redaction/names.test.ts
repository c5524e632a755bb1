// Redacts names that forms and fonts refer to, and data that only looks like a text.
// Contract: docs/api.md#pdf-with-redacted-text-applied
import { expect, test } from "vitest";
import { PRESETS } from "../../../../src/document/redaction/expressions/presets.ts";
import { formPdf } from "../../../fixtures/form-pdfs.ts";
import { onePage } from "../../../support/hostile-pdfs.ts";
import { textOf, uncompressed } from "../../../support/pdf-readers.ts";
import { literal, redact } from "../../../support/redactions.ts";

const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>";

test("a font of a form, which its appearance strings name", async () => {
  const field = "/FT/Tx/V(The neighbor)/DA(/KestrelFont 12 Tf 0 g)/Rect[20 20 180 60]";
  const pdf = formPdf([field], { form: `/DR<</Font<</KestrelFont ${FONT}>>>>/DA(/KestrelFont 0 Tf)` });
  const redacted = await redact(pdf, literal("Kestrel"));
  expect(uncompressed(redacted)).not.toContain("Kestrel");
  expect(textOf(redacted).join("")).toContain("The neighbor");
});

test("names that every document has", async () => {
  const font =
    "<</Type/Font/Subtype/Type0/BaseFont/Other/Encoding/Identity-H/ToUnicode/Identity-H/DescendantFonts[" +
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/Other/DW 600/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>";
  const text = (shown: string) => Buffer.from(shown, "utf16le").swap16().toString("hex");
  const pdf = onePage(`BT /F 12 Tf 50 700 Td <${text("evening")}> Tj ET`, "/Font<</F 5 0 R>>", [font]);
  expect(
    textOf(await redact(pdf, literal("e")))
      .join("")
      .replace(/\s/g, ""),
  ).toBe("evening".replaceAll("e", ""));
});

test("digits in which an inline image is written stay, and a text in it goes", async () => {
  const image = (data: string) =>
    onePage(`q 9 0 0 9 50 700 cm BI /W 16 /H 1 /BPC 8 /CS /G /F /AHx ID ${data}> EI Q`, "", []);
  const digits = "a0".repeat(16);
  expect(uncompressed(await redact(image(digits), literal("a0a0")))).toContain("BI");
  const hidden = Buffer.from("The Kestrel here").toString("hex");
  expect(uncompressed(await redact(image(hidden), literal("Kestrel")))).not.toContain(hidden);
});

test("a caption of a line, which viewers draw outside of the annotation", async () => {
  const line = "<</Type/Annot/Subtype/Line/Rect[300 300 320 320]/L[0 0 9 9]/Cap true/Contents(The Kestrel)>>";
  const redacted = await redact(onePage("", "", [], `/Annots[${line}]`), literal("Kestrel"));
  expect(uncompressed(redacted)).not.toContain("Kestrel");
});

test("positions in a record beside the words for a phone are no number", () => {
  const find = (text: string) => PRESETS.phone_number(text).length;
  expect(find("Preparer Phone Number 18 15 18 32-40")).toBe(0);
  expect(find("Phone Number 03 26 85 83 33")).toBe(1);
});
