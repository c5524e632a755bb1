// Tests that annotations that a viewer shows on screen (ISO 32000-1, table 165) stay visible in PDF/A, and that hidden
// annotations stay hidden.
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { archived } from "../../../support/archival.ts";
import { isRedDrawn } from "../../../support/rendered.ts";

const [INVISIBLE, HIDDEN, PRINT, NO_VIEW, TOGGLE_NO_VIEW] = [1, 2, 4, 32, 256];

function annotated(subtype: string, flags: number): Uint8Array {
  const builder = new PdfBuilder();
  const look = builder.stream("1 0 0 rg 0 0 200 100 re f", "/Type/XObject/Subtype/Form/BBox[0 0 200 100]");
  const file = `/FS<</Type/Filespec/F(a.txt)/EF<</F ${builder.stream("a", "/Type/EmbeddedFile")}>>>>`;
  builder.page("A", `/Annots[<</Subtype/${subtype}/Rect[40 40 240 140]/F ${flags}/AP<</N ${look}>>${file}>>]`);
  return builder.bytes();
}

const CASES: [name: string, subtype: string, flags: number, isShown: boolean][] = [
  ["a note without the Print flag", "Text", 0, true],
  ["a file attachment without the Print flag", "FileAttachment", 0, true],
  ["a drawn mark without the Print flag", "Ink", 0, true],
  ["a drawn mark with it", "Ink", PRINT, true],
  ["one that is hidden", "Ink", HIDDEN | PRINT, false],
  ["one that is only for paper", "Stamp", NO_VIEW | PRINT, false],
  ["one that is only for paper until the mouse comes", "Stamp", NO_VIEW | TOGGLE_NO_VIEW | PRINT, false],
  ["a pop-up", "Popup", PRINT, false],
  ["an invisible one of a known type", "Square", INVISIBLE | PRINT, true],
  ["one of an unknown type", "Cube", 0, true],
  ["an invisible one of an unknown type", "Cube", INVISIBLE, false],
];

describe.each(CASES)("%s", (_, subtype, flags, isShown) => {
  test("is drawn as a screen shows it", async () => {
    expect(await isRedDrawn(annotated(subtype, flags))).toBe(isShown);
  });

  test.each(["1b", "2b", "3b"] as const)("is the same in PDF/A-%s", async (level) => {
    expect(await isRedDrawn(await archived(annotated(subtype, flags), level))).toBe(isShown);
  });
});
