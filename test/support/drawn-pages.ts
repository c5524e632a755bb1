// Renders pages as the endpoint /png does, for comparisons with other renderers.
import { parsePages } from "../../src/document/contract/pages.ts";
import { rasterizePdf } from "../../src/operations/rasterize-pdf.ts";
import { outputsOf } from "./operations.ts";
import { decode, type Picture, perceptualDistance, popplerPage } from "./pictures.ts";

/** Returns the first page as the service renders it. */
export async function drawnPage(pdf: Uint8Array, dpi = 72): Promise<Picture> {
  const pages = parsePages("1")!;
  const [png] = await outputsOf(rasterizePdf, [pdf], { format: "png", colorModel: "rgb", dpi, pages });
  return decode(png!, "opaquePng");
}

/**
 * Returns the distance between the first page as the service renders it, and the first page as poppler renders it.
 * @param other document for poppler. @default the same
 */
export async function distanceToPoppler(pdf: Uint8Array, other = pdf): Promise<number> {
  return perceptualDistance(await drawnPage(pdf), await popplerPage(other, 1, 72));
}
