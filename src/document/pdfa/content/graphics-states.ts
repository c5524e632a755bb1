// Repairs graphics state parameters (ISO 19005-1, 6.2.8, 6.2.9 and 6.4; -2, 6.2.5, 6.2.6 and 6.2.10).
import { countedNotices } from "../../contract/notice.ts";
import { type Dictionary, Name } from "../../objects/values.ts";
import type { PdfaDocument } from "../pdfa-document.ts";
import { setsTransfer } from "../transfer/transfer.ts";

const FORBIDDEN = ["TR", "HTP", "HTO", "HT"];
export const RENDERING_INTENTS: ReadonlySet<string> = new Set([
  "RelativeColorimetric",
  "AbsoluteColorimetric",
  "Perceptual",
  "Saturation",
]);
const BLEND_MODES = new Set(
  (
    "Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight " +
    "Difference Exclusion " +
    "Hue Saturation Color Luminosity"
  ).split(" "),
);

/** Repairs all graphics states. Removes transfer functions, and reports those that change colors. */
export function repairGraphicsStates(document: PdfaDocument): void {
  let transfers = 0;
  for (const { dictionary, above } of document.places) {
    const isState = above === "ExtGState" || document.file.name(dictionary.get("Type")) === "ExtGState";
    if (isState) {
      if (setsTransfer(document.file, dictionary)) transfers++;
      repairState(document, dictionary);
    }
    // Annotations can have a blend mode too (ISO 32000-2, table 166).
    else if (dictionary.has("BM") && dictionary.has("Rect")) repairBlendMode(document, dictionary);
  }
  document.report(...countedNotices("transfers-removed", transfers));
}

function repairState(document: PdfaDocument, state: Dictionary): void {
  const { file } = document;
  for (const key of FORBIDDEN) state.delete(key);
  if (file.name(state.get("TR2")) !== "Default") state.delete("TR2");
  const intent = state.get("RI");
  if (intent !== undefined && !RENDERING_INTENTS.has(file.name(intent) ?? "")) state.delete("RI");
  // Overprint mode 1 would have another meaning with an ICC-based CMYK space (ISO 19005-2, 6.2.4.2).
  if (document.failed("6.2.4.2", 2) && state.has("OPM")) state.set("OPM", 0);
  repairBlendMode(document, state);
}

/** Repairs a blend mode. If it is a list, the first known mode in it applies (ISO 32000-1, 11.6.3). */
function repairBlendMode({ file }: PdfaDocument, holder: Dictionary): void {
  const mode = holder.get("BM");
  if (mode === undefined) return;
  const list = file.array(mode) ?? [mode];
  const known = list.map((name) => file.name(name) ?? "").find((name) => BLEND_MODES.has(name));
  holder.set("BM", Name.of(known ?? "Normal"));
}
