// Generates the manifest of a document (IIIF Presentation API 3.0), which contains a canvas for each page and ranges
// for bookmarks.

import { stem } from "../../../document/contract/file-name.ts";
import type { Size } from "../../../document/engines/mupdf/page.ts";
import type { DocumentProperties } from "../../../document/pages/page-groups.ts";
import { halved } from "../../../document/pictures/page-view.ts";
import type { StoredFile } from "../../storage/file.ts";
import { fullSize } from "../image-request.ts";
import { SEARCH_CONTEXT, searchServices } from "./content-search.ts";

export const CONTEXT = "http://iiif.io/api/presentation/3/context.json";
/** Maximum width and height of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 256;
/** Maximum width and height of a canvas image, in pixels. */
const PICTURE_SIDE = 2048;

type Label = { readonly none: readonly [string] };
const labelled = (text: string): Label => ({ none: [text] });

interface Range {
  readonly id: string;
  readonly type: "Range";
  readonly label: Label;
  readonly items: object[];
}

/** Yields the manifest as text in chunks, because the manifest of a long document needs much memory. */
export function* manifestText({ id, name }: StoredFile, facts: DocumentProperties, baseUrl: string): Generator<string> {
  const base = `${baseUrl}/iiif/${id}`;
  const canvasId = (index: number) => `${base}/canvas/${index + 1}`;
  const pdf = { id: `${baseUrl}/resource/${id}?format=file`, type: "Text", format: "application/pdf" };
  const manifest = {
    // The context of the presentation comes last (Presentation API 3.0, 4.6).
    "@context": [SEARCH_CONTEXT, CONTEXT],
    id: `${base}/manifest.json`,
    type: "Manifest",
    label: labelled(stem(name) || name),
    rendering: [{ ...pdf, label: labelled("PDF") }],
    service: searchServices(base),
  };
  yield `${JSON.stringify(manifest).slice(0, -1)},"items":[`;
  for (const [index, [width, height]] of facts.sizes.entries()) {
    const label = facts.labels?.[index] || String(index + 1);
    const canvas = canvasOf({ id: canvasId(index), service: `${base}%3A${index + 1}`, label }, { width, height });
    yield `${index > 0 ? "," : ""}${JSON.stringify(canvas)}`;
  }
  const structures = rangesOf(facts, base, canvasId);
  yield structures.length > 0 ? `],"structures":${JSON.stringify(structures)}}` : "]}";
}

interface About {
  readonly id: string;
  /** URI of the page as an image. */
  readonly service: string;
  readonly label: string;
}

function canvasOf({ id, service, label }: About, page: Size): object {
  const full = fullSize(page);
  const services = [{ id: service, type: "ImageService3", profile: "level2" }];
  const picture = (side: number) => {
    const size = fitted(full, side);
    return {
      id: `${service}/full/${size.width},${size.height}/0/default.jpg`,
      type: "Image",
      format: "image/jpeg",
      ...size,
      service: services,
    };
  };
  const annotation = {
    id: `${id}/picture`,
    type: "Annotation",
    motivation: "painting",
    body: picture(PICTURE_SIDE),
    target: id,
  };
  return {
    id,
    type: "Canvas",
    label: labelled(label),
    ...full,
    thumbnail: [picture(THUMBNAIL_SIDE)],
    items: [{ id: `${id}/page`, type: "AnnotationPage", items: [annotation] }],
  };
}

/** Returns the largest recommended size that fits into a square. */
function fitted(full: Size, side: number): Size {
  return halved(full, Math.max(0, Math.ceil(Math.log2(Math.max(full.width, full.height) / side))));
}

/** Returns the top-level ranges. A range contains the canvas of its bookmark, then its child ranges. */
function rangesOf(
  { bookmarks, sizes }: DocumentProperties,
  base: string,
  canvasId: (index: number) => string,
): Range[] {
  const all: Range[] = [];
  const top: Range[] = [];
  for (const [title, page, parent] of bookmarks) {
    const range: Range = { id: `${base}/range/${all.length + 1}`, type: "Range", label: labelled(title), items: [] };
    if (page >= 0 && page < sizes.length) range.items.push({ id: canvasId(page), type: "Canvas" });
    (all[parent]?.items ?? top).push(range);
    all.push(range);
  }
  return top.filter(hasCanvas);
}

/** Reports whether a range contains a canvas. Removes nested ranges that contain no canvas. */
function hasCanvas({ items }: Range): boolean {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as Range;
    if (item.type === "Range" && !hasCanvas(item)) items.splice(index, 1);
  }
  return items.length > 0;
}
