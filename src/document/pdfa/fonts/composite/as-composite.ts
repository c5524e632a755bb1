// Converts a simple font with a TrueType program to a composite font with the same codes. This is necessary because
// validators treat code 0 of a symbolic simple font as .notdef, even if it shows a glyph (ISO 19005-2, 6.2.11.8).
import { readCmap } from "../../../fonts/truetype/cmap.ts";
import { Dictionary, Name } from "../../../objects/values.ts";
import { CMap } from "../../../text/cmap.ts";
import { simpleWidths } from "../../../text/font-widths.ts";
import { readSimpleEncoding } from "../../../text/simple-encoding.ts";
import { programBytes, readProgram } from "../font-program.ts";
import type { FontTask, ShownFont } from "../shown-font.ts";
import { glyphFinder } from "../simple/simple-truetype.ts";
import { systemInfoDictionary, writeCodeMap } from "./code-maps.ts";
import { glyphStream } from "./composite-font.ts";

const CODES = 256;
/** Code `n` maps to CID `n + 1`, because CID 0 is .notdef. */
const cidOf = (code: number): number => code + 1;
const INFO = { registry: "Adobe", ordering: "Identity", supplement: 0 };

/** Changes the font dictionary if code 0 shows a glyph. Fonts of form fields stay simple. */
export function makeComposite({ file }: FontTask, { font, codes, isTyped }: ShownFont): void {
  const isConcerned = !isTyped && !font.has("Encoding") && codes.some(({ code }) => code === 0);
  const bytes = programBytes(file, file.dictionary(font.get("FontDescriptor")));
  const program = isConcerned && bytes ? readProgram(bytes) : undefined;
  if (program?.kind !== "truetype") return;
  const encoding = readSimpleEncoding(file, undefined, []);
  const { glyphOf } = glyphFinder(program.font, readCmap(program.font) ?? [], encoding, true);
  const widthOf = simpleWidths(file, font);
  const map = new CMap();
  map.spaces.push({ bytes: 1, low: 0, high: CODES - 1 });
  const inner = Dictionary.of({
    Type: Name.of("Font"),
    Subtype: Name.of("CIDFontType2"),
    BaseFont: font.get("BaseFont"),
    CIDSystemInfo: systemInfoDictionary(INFO),
    FontDescriptor: font.get("FontDescriptor"),
    W: [cidOf(0), Array.from({ length: CODES }, (_, code) => widthOf?.(code) ?? 0)],
    CIDToGIDMap: glyphStream(file, cidOf(CODES), (cid) => (cid > 0 ? glyphOf(cid - 1) : 0), program.font.glyphCount),
  });
  for (const key of ["Widths", "FirstChar", "LastChar"]) font.delete(key);
  font.set("Subtype", Name.of("Type0")).set("DescendantFonts", [file.add(inner)]);
  font.set("Encoding", writeCodeMap(file, map, INFO, new Map(codes.map((one) => [one, cidOf(one.code)]))));
}
