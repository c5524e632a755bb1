// Adds images to pages of a PDF, on top of their content. Yields one output.
import * as z from "zod";
import { StructureLinks } from "../document/annotations/structure-links.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Input } from "../document/contract/operation.ts";
import { parseListedPages, selectPages } from "../document/contract/pages.ts";
import { optional, type Params } from "../document/contract/parameter.ts";
import { index, numeric, objectList } from "../document/contract/parameters/loose-json.ts";
import { number } from "../document/contract/parameters/number.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { checkUntagged, figureTags, tagParameters } from "../document/contract/parameters/tags.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { addImageForm, type ImageForm } from "../document/pages/image-form.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { Overlay } from "../document/pages/overlay/overlay.ts";

/** Range in points. Only a page with a large UserUnit is wider than the maximum, about 350 m. */
const DISTANCE = { min: 0, max: 1_000_000 };
const distance = numeric(DISTANCE);
const side = numeric({ min: 0.001, max: DISTANCE.max });
const placement = z.object({
  image_index: index.default(0),
  // Operations have no access to file IDs. If image_id were ignored, another image would be placed.
  image_id: z
    .string()
    .refine(() => false)
    .describe("Not supported: send image_index, and image_ids.")
    .optional(),
  page: z.union([z.int().min(1), z.string().refine((text) => parseListedPages(text) !== undefined)]),
  ...{ x: distance, y: distance, width: side.optional(), height: side.optional() },
  ...figureTags,
});

const parameters = {
  x: optional("Distance of the image from the left edge of the page as it is shown, in points.", number(DISTANCE)),
  y: optional("Distance of the image from the lower edge of the page as it is shown, in points.", number(DISTANCE)),
  page: optional("The page, or several.", listedPages),
  imageObjects: optional(
    "JSON with the places of images, instead of x, y and page.",
    objectList(placement, "ImageObjects"),
  ),
  ...tagParameters("images"),
};
export type AddImageParams = Params<typeof parameters>;

interface Placement extends Omit<z.infer<typeof placement>, "page"> {
  readonly page: string;
  /** Prefix of parameter names in errors, for example `imageObjects.0.`; empty for x, y and page. */
  readonly path: string;
}

const TOO_MANY = `A request adds at most ${LIMITS.imagesAdded} images.`;

/** @throws OutOfRange if a page or an image does not exist, EngineFailure `unreadable-image`, before any output */
const run = pdfToPdf<AddImageParams>(async (pdf, params, { others, signal }) => {
  const { tagEnabled, tagLanguage: language } = params;
  const overlay = new Overlay(pdf.file);
  const placements = placementsOf(params);
  if (!tagEnabled) for (const one of placements) checkUntagged(one, one.path.replace(/\.$/, ""));
  const placed = placements.map((one) => ({
    ...one,
    pages: pagesOf(one, overlay),
    image: imageOf(one, others),
  }));
  const count = placed.reduce((sum, { pages }) => sum + pages.length, 0);
  if (count > LIMITS.imagesAdded) throw new OutOfRange("imageObjects", String(count), TOO_MANY);
  const forms = new Map<Input, ImageForm>();
  const structure = new StructureLinks(pdf.file);
  for (const { image, pages, x, y, ...wished } of placed) {
    signal.throwIfAborted();
    const form = forms.get(image) ?? (await addImageForm(pdf, image, signal));
    forms.set(image, form);
    const { width, height } = sizeOf(form, wished);
    const matrix = [width / form.box.width, 0, 0, height / form.box.height, x, y] as const;
    const isTagged = tagEnabled && !wished.tag_is_artifact;
    const tagged = { type: wished.tag_structure_type ?? "Figure", language, alternateText: wished.tag_alt_text };
    for (const number of pages) {
      const page = overlay.pages[number - 1]!.reference;
      overlay.draw(number, form.reference, matrix, { tag: isTagged ? structure.add({ page, ...tagged }) : undefined });
    }
  }
  overlay.finish();
  structure.finish();
  pdf.notices.push(...withdrawClaims(pdf.file, (family) => family !== "PDF/UA"));
});

export const addImage = defineOperation({ name: "add-image", parameters, run });

function placementsOf({ x = 0, y = 0, page, imageObjects }: AddImageParams): readonly Placement[] {
  if (!imageObjects) return [{ image_index: 0, x, y, page: page?.text ?? "1", path: "" }];
  return imageObjects.map((one, index) => ({ ...one, page: String(one.page), path: `imageObjects.${index}.` }));
}

const pagesOf = ({ page, path }: Placement, { pageCount }: Overlay): readonly number[] =>
  selectPages(parseListedPages(page)!, pageCount, { parameter: `${path}page` });

function imageOf({ image_index, path }: Placement, images: readonly Input[]): Input {
  const image = images[image_index];
  if (image) return image;
  const [is, noun] = images.length === 1 ? ["is", "image"] : ["are", "images"];
  throw new OutOfRange(`${path}image_index`, String(image_index), `There ${is} ${images.length} ${noun}, from 0.`);
}

/** Returns the size of an image on the page. If only one side is given, the proportions stay. */
function sizeOf({ size }: ImageForm, { width, height }: Pick<Placement, "width" | "height">) {
  const scale = (width ?? 0) / size.width || (height ?? 0) / size.height || 1;
  return { width: width ?? size.width * scale, height: height ?? size.height * scale };
}
