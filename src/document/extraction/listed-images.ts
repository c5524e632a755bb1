// Lists the images that pages show, each once, on the first of the pages that show it.
import { createHash } from "node:crypto";
import { pagesOf } from "../facts/shown-content.ts";
import { imagesOn } from "../facts/shown-images.ts";
import type { DrawnImage } from "../images/draws.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { serialize } from "../objects/serialize.ts";
import type { Reference } from "../objects/values.ts";
import type { SourcePage } from "../pages/pages.ts";

/** An image of the file, or an inline image with its data. */
export interface ListedImage {
  /** The page number, from 1. */
  readonly page: number;
  readonly image: Reference | DrawnImage;
}

/** Approximate memory per listed image, without its data. */
const IMAGE_BYTES = 400;

export async function listImages(
  file: PdfFile,
  pages: readonly SourcePage[],
  signal: AbortSignal,
): Promise<readonly ListedImage[]> {
  const listed: ListedImage[] = [];
  const known = new Set<number | string>();
  let at = 0;
  for await (const page of pagesOf({ file, pages, signal })) {
    const number = pages[at++]!.index + 1;
    for (const { image } of imagesOn(file, page)) {
      const key = image.reference?.number ?? fingerprint(image);
      if (known.size === known.add(key).size) continue;
      file.budget.charge(IMAGE_BYTES + (image.data?.length ?? 0));
      // A view of the data would keep the whole content in memory.
      listed.push({ page: number, image: image.reference ?? { ...image, data: image.data!.slice() } });
    }
  }
  return listed;
}

/** Returns equal texts for inline images that are equal in all bytes. */
function fingerprint({ dictionary, data = new Uint8Array(0) }: DrawnImage): string {
  const hash = createHash("sha256").update(serialize(dictionary, (reference) => reference.number));
  return hash.update(data).digest("base64");
}
