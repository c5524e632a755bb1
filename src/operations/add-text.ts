// Adds texts to pages of a PDF, on top of their content. Yields one output.
import * as z from "zod";
import { StructureLinks } from "../document/annotations/structure-links.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { parseListedPages, selectPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import {
  color,
  either,
  FONT_SIZE,
  flag,
  numeric,
  OPACITY,
  objectList,
} from "../document/contract/parameters/loose-json.ts";
import { checkUntagged, tagParameters } from "../document/contract/parameters/tags.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { turned } from "../document/pages/overlay/alignment.ts";
import { Overlay } from "../document/pages/overlay/overlay.ts";
import { fontNamed, inkOf } from "../document/typesetting/look.ts";
import { type SetText, Typesetter } from "../document/typesetting/typesetter.ts";

/** Range in points. Only a page with a large UserUnit is wider than the maximum, about 350 m. */
const DISTANCE = { min: -1_000_000, max: 1_000_000 };
const ANGLE = { min: -36_000, max: 36_000 };
/** Types of content (ISO 32000-1, 14.8.4). */
const STRUCTURE_TYPES = [
  ...(["P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Lbl", "Span", "Quote", "Note", "Reference"] as const),
  ...(["BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP"] as const),
  ...(["Figure", "Formula", "Form"] as const),
] as const;

const textObject = z
  .object({
    font: z.string().min(1).max(100),
    text: z.string().min(1),
    text_size: numeric(FONT_SIZE),
    page: z.union([z.int().min(1), z.string().refine((text) => parseListedPages(text) !== undefined)]),
    ...{ x: numeric(DISTANCE), y: numeric(DISTANCE), rotation: numeric(ANGLE), opacity: numeric(OPACITY) },
    max_width: numeric({ min: 0.001, max: DISTANCE.max }),
    ...{ text_color_rgb: color(3, 255).exactOptional(), text_color_cmyk: color(4, 100).exactOptional() },
    is_rtl: flag.default(false),
    tag_actual_text: z.string().min(1).exactOptional(),
    tag_is_artifact: flag.exactOptional(),
    tag_structure_type: z.enum(STRUCTURE_TYPES).exactOptional(),
  })
  .refine(
    (one) => (one.text_color_rgb === undefined) !== (one.text_color_cmyk === undefined),
    either("text_color_rgb", "text_color_cmyk"),
  );
type TextObject = z.infer<typeof textObject>;

const parameters = {
  textObjects: parameter("JSON with the texts, their look and their positions.", objectList(textObject, "TextObjects")),
  ...tagParameters("texts"),
};
export type AddTextParams = Params<typeof parameters>;

const TOO_MANY = `A request adds at most ${LIMITS.textPlaces} texts.`;
const TOO_LONG = `The texts of a request have at most ${LIMITS.textAddedLength} characters.`;

/** @throws OutOfRange if a page or a font does not exist, before any output */
const run = pdfToPdf<AddTextParams>(async (pdf, params, { typefaces, signal }) => {
  const { textObjects: objects, tagEnabled, tagLanguage: language } = params;
  checkSize(objects, tagEnabled);
  const overlay = new Overlay(pdf.file);
  const placed = objects.map((one, index) => ({ one, pages: pagesOf(one, index, overlay), look: lookOf(one, index) }));
  const count = placed.reduce((sum, { pages }) => sum + pages.length, 0);
  if (count > LIMITS.textPlaces) throw new OutOfRange("textObjects", String(count), TOO_MANY);
  const texts = objects.map(({ text }) => text);
  const typesetter = await Typesetter.open(pdf, typefaces, texts);
  const structure = new StructureLinks(pdf.file);
  for (const { one, pages, look } of placed) {
    signal.throwIfAborted();
    const { reference } = await typesetter.add(look, signal);
    const [isTagged, type] = [tagEnabled && !one.tag_is_artifact, one.tag_structure_type ?? "P"];
    const actualText = one.tag_actual_text;
    for (const number of pages) {
      const page = overlay.pages[number - 1]!.reference;
      const tag = isTagged ? structure.add({ page, type, language, actualText }) : undefined;
      overlay.draw(number, reference, turned(one.rotation, one.x, one.y), { tag });
    }
  }
  const notices = typesetter.finish();
  overlay.finish();
  structure.finish();
  pdf.notices.push(...notices, ...withdrawClaims(pdf.file, (family) => family !== "PDF/UA"));
});

export const addText = defineOperation({ name: "add-text", parameters, run });

/** @throws OutOfRange if the texts are too long, or have tags although tags are off */
function checkSize(objects: readonly TextObject[], tagEnabled: boolean): void {
  const length = objects.reduce((sum, { text }) => sum + text.length, 0);
  if (length > LIMITS.textAddedLength) throw new OutOfRange("textObjects", String(length), TOO_LONG);
  if (!tagEnabled) for (const [index, one] of objects.entries()) checkUntagged(one, `textObjects.${index}`);
}

const pagesOf = ({ page }: TextObject, index: number, { pageCount }: Overlay): readonly number[] =>
  selectPages(parseListedPages(String(page))!, pageCount, { parameter: `textObjects.${index}.page` });

function lookOf(one: TextObject, index: number): SetText {
  return {
    ...fontNamed(one.font, `textObjects.${index}.font`),
    ...inkOf({ rgb: one.text_color_rgb, cmyk: one.text_color_cmyk }),
    ...{ text: one.text, size: one.text_size, opacity: one.opacity, maxWidth: one.max_width },
    ...(one.is_rtl ? { isRightToLeft: true, align: "right" } : {}),
  };
}
