// Draws lines and rectangles on pages of a PDF, on top of their content. Yields one output.
import * as z from "zod";
import { StructureLinks } from "../document/annotations/structure-links.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { parseListedPages, selectPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { color, either, numeric, OPACITY, objectList } from "../document/contract/parameters/loose-json.ts";
import { checkUntagged, figureTags, tagParameters } from "../document/contract/parameters/tags.ts";
import type { PdfFile } from "../document/objects/pdf-file.ts";
import { serializeNumber } from "../document/objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference } from "../document/objects/values.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { Overlay, opacityState } from "../document/pages/overlay/overlay.ts";

/** Range in points. Only a page with a large UserUnit is wider than the maximum, about 350 m. */
const DISTANCE = { min: -1_000_000, max: 1_000_000 };
const LENGTH = { min: 0.001, max: DISTANCE.max };

const position = numeric(DISTANCE);
const common = {
  page: z.union([z.int().min(1), z.string().refine((text) => parseListedPages(text) !== undefined)]),
  ...{ stroke_color_rgb: color(3, 255).exactOptional(), stroke_color_cmyk: color(4, 100).exactOptional() },
  ...{ stroke_width: numeric(LENGTH).default(1), opacity: numeric(OPACITY).default(1) },
  ...figureTags,
};
const line = z
  .object({ type: z.literal("line"), ...{ x1: position, y1: position, x2: position, y2: position }, ...common })
  .refine(hasOneStroke, either("stroke_color_rgb", "stroke_color_cmyk"));
const NO_COLOR = "A rectangle has a color of its border, of its area, or of both.";
const rectangle = z
  .object({
    type: z.literal("rectangle"),
    ...{ x: position, y: position, width: numeric(LENGTH), height: numeric(LENGTH), ...common },
    ...{ fill_color_rgb: color(3, 255).exactOptional(), fill_color_cmyk: color(4, 100).exactOptional() },
  })
  .refine((one) => strokeOf(one) || fillOf(one), { path: ["stroke_color_rgb"], params: { why: NO_COLOR } })
  .refine((one) => hasOneStroke(one) || !strokeOf(one), either("stroke_color_rgb", "stroke_color_cmyk"))
  .refine((one) => !(one.fill_color_rgb && one.fill_color_cmyk), either("fill_color_rgb", "fill_color_cmyk"));
const shape = z.discriminatedUnion("type", [line, rectangle]);
type Shape = z.infer<typeof shape>;

const parameters = {
  shapeObjects: parameter(
    "JSON with the lines and rectangles, their look and their positions.",
    objectList(shape, "ShapeObjects"),
  ),
  ...tagParameters("shapes"),
};
export type AddShapesParams = Params<typeof parameters>;

const TOO_MANY = `A request adds at most ${LIMITS.shapesAdded} shapes.`;

/** @throws OutOfRange if a page does not exist, or if there are too many shapes, before any output */
const run = pdfToPdf<AddShapesParams>(async ({ file, notices }, params, { signal }) => {
  const { shapeObjects, tagEnabled, tagLanguage: language } = params;
  const overlay = new Overlay(file);
  const placed = shapeObjects.map((one, index) => ({ one, pages: pagesOf(one, index, overlay) }));
  const count = placed.reduce((sum, { pages }) => sum + pages.length, 0);
  if (count > LIMITS.shapesAdded) throw new OutOfRange("shapeObjects", String(count), TOO_MANY);
  if (!tagEnabled) for (const [index, one] of shapeObjects.entries()) checkUntagged(one, `shapeObjects.${index}`);
  const structure = new StructureLinks(file);
  const states = new Map<number, Reference>();
  for (const { one, pages } of placed) {
    signal.throwIfAborted();
    const form = formOf(file, one);
    const state = one.opacity < 1 ? (states.get(one.opacity) ?? opacityState(file, one.opacity)) : undefined;
    if (state) states.set(one.opacity, state);
    const isTagged = tagEnabled && !one.tag_is_artifact;
    const tagged = { type: one.tag_structure_type ?? "Figure", language, alternateText: one.tag_alt_text };
    for (const number of pages) {
      const page = overlay.pages[number - 1]!.reference;
      const tag = isTagged ? structure.add({ page, ...tagged }) : undefined;
      overlay.draw(number, form, [1, 0, 0, 1, 0, 0], { tag, state });
    }
  }
  overlay.finish();
  structure.finish();
  notices.push(...withdrawClaims(file, (family) => family !== "PDF/UA"));
});

export const addShapes = defineOperation({ name: "add-shapes", parameters, run });

const pagesOf = ({ page }: Shape, index: number, { pageCount }: Overlay): readonly number[] =>
  selectPages(parseListedPages(String(page))!, pageCount, { parameter: `shapeObjects.${index}.page` });

interface Stroked {
  readonly stroke_color_rgb?: readonly number[];
  readonly stroke_color_cmyk?: readonly number[];
}

function hasOneStroke({ stroke_color_rgb: rgb, stroke_color_cmyk: cmyk }: Stroked): boolean {
  return (rgb === undefined) !== (cmyk === undefined);
}

const strokeOf = (one: Stroked) => inkOf(one.stroke_color_rgb, one.stroke_color_cmyk, ["RG", "K"]);
const fillOf = (one: { readonly fill_color_rgb?: readonly number[]; readonly fill_color_cmyk?: readonly number[] }) =>
  inkOf(one.fill_color_rgb, one.fill_color_cmyk, ["rg", "k"]);

function inkOf(
  rgb: readonly number[] | undefined,
  cmyk: readonly number[] | undefined,
  [forRgb, forCmyk]: readonly [string, string],
): string | undefined {
  if (rgb) return `${numbers(...rgb.map((component) => component / 255))} ${forRgb}`;
  return cmyk && `${numbers(...cmyk.map((percent) => percent / 100))} ${forCmyk}`;
}

const numbers = (...values: readonly number[]): string => values.map(serializeNumber).join(" ");

/** Returns a form in the space of the displayed page. Its group has one opacity where border and area overlap. */
function formOf(file: PdfFile, one: Shape): Reference {
  const { box, path, paint } = one.type === "line" ? lineOf(one) : rectangleOf(one);
  const half = one.stroke_width / 2;
  const [left, bottom, right, top] = box;
  const colors = [strokeOf(one), one.type === "rectangle" ? fillOf(one) : undefined].filter((ink) => ink !== undefined);
  const content = `${colors.join("\n")}\n${numbers(one.stroke_width)} w\n${path} ${paint}\n`;
  const entries = Dictionary.of({
    ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), Resources: new Dictionary() },
    BBox: [left - half, bottom - half, right + half, top + half],
    Group: one.opacity < 1 ? Dictionary.of({ S: Name.of("Transparency") }) : undefined,
  });
  return file.add(new PdfStream(entries, plainBody(new TextEncoder().encode(content))));
}

function lineOf({ x1, y1, x2, y2 }: z.infer<typeof line>) {
  const box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)] as const;
  return { box, path: `${numbers(x1, y1)} m ${numbers(x2, y2)} l`, paint: "S" };
}

function rectangleOf(one: z.infer<typeof rectangle>) {
  const { x, y, width, height } = one;
  const [isFilled, isStroked] = [fillOf(one) !== undefined, strokeOf(one) !== undefined];
  const paint = isFilled && isStroked ? "B" : isFilled ? "f" : "S";
  return { box: [x, y, x + width, y + height] as const, path: `${numbers(x, y, width, height)} re`, paint };
}
