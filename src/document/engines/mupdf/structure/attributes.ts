// Reads the texts and attributes of an element of the structure tree (ISO 32000-1, 14.7.5 and 14.9).
import type { Mupdf } from "../instance/mupdf.ts";
import type { Pointer } from "../instance/raw.ts";
import type { PdfObjects } from "../objects.ts";

export interface StructureAttributes {
  /** Number of rows and columns of a cell. @default 1 */
  readonly rowSpan?: number;
  readonly columnSpan?: number;
  /** Text that describes the content. */
  readonly alternateText?: string;
  /** Text that replaces the content. */
  readonly actualText?: string;
}

const MAX_ATTRIBUTES = 32;
const MAX_SPAN = 1000;
const MAX_CHARACTERS = 10_000;
const CELLS = new Set(["TH", "TD"]);

/** Reads the attributes of an element. Must be called inside the engine's `run`. */
export function readAttributes(
  engine: Mupdf,
  objects: PdfObjects,
  element: Pointer,
  type: string,
): StructureAttributes {
  const textOf = (key: string): string => {
    const text = objects.get(element, key);
    if (text === 0 || engine.raw._wasm_pdf_is_string(text) === 0) return "";
    return engine.raw.UTF8ToString(engine.raw._wasm_pdf_to_text_string(text)).slice(0, MAX_CHARACTERS);
  };
  const [alternateText, actualText] = [textOf("Alt"), textOf("ActualText")];
  return {
    ...(CELLS.has(type) ? spansOf(objects, element) : {}),
    ...(alternateText === "" ? {} : { alternateText }),
    ...(actualText === "" ? {} : { actualText }),
  };
}

function spansOf(objects: PdfObjects, element: Pointer): Pick<StructureAttributes, "rowSpan" | "columnSpan"> {
  const attributes = objects.get(element, "A");
  const lists = objects.isArray(attributes) ? objects.elements(attributes, MAX_ATTRIBUTES) : [attributes];
  const spanOf = (key: string) => {
    for (const list of lists) {
      const span = objects.isDictionary(list) ? objects.real(objects.get(list, key)) : undefined;
      if (span !== undefined && span > 1) return Math.min(MAX_SPAN, Math.floor(span));
    }
    return 1;
  };
  const [rowSpan, columnSpan] = [spanOf("RowSpan"), spanOf("ColSpan")];
  return { ...(rowSpan > 1 ? { rowSpan } : {}), ...(columnSpan > 1 ? { columnSpan } : {}) };
}
