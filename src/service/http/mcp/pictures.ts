// Adds images of limited size to the result of a tool call that rendered pages. The result also contains links to the
// original files.
import type { ImageContent } from "@modelcontextprotocol/server";
import { parsePages, resolvePages } from "../../../document/contract/pages.ts";
import type { Dispatch } from "./dispatch.ts";

/** Limits for the images in one result. Models scale down larger images or reject them. */
export const SHOWN = { most: 3, usually: 1, sidePixels: 1024, bytes: 2 ** 20 } as const;

export interface Drawn {
  readonly files: readonly { readonly id: string; readonly type: string; readonly size: number }[];
  /** ID of the rendered document. */
  readonly inputId: string;
  /** Page selection, or list of page selections, as the agent sent it. @default all pages */
  readonly pages: unknown;
}

/** Returns images of the first outputs. Omits an image that cannot be fetched; the result still contains its link. */
export async function picturesOf({ files, inputId, pages }: Drawn, dispatch: Dispatch): Promise<ImageContent[]> {
  let numbers: Promise<readonly number[]> | undefined;
  const pictures: ImageContent[] = [];
  for (const [index, file] of files.entries()) {
    const own = await outputImage(file, dispatch);
    numbers ??= own ? undefined : pageNumbers(pages, inputId, dispatch);
    const picture = own ?? (await pageImage(inputId, (await numbers)?.[index], dispatch));
    if (picture) pictures.push(picture);
  }
  return pictures;
}

/** Returns an output unchanged, if it is a PNG within the limits. */
async function outputImage({ id, type, size }: Drawn["files"][number], dispatch: Dispatch) {
  if (type !== "image/png" || size > SHOWN.bytes) return undefined;
  const bytes = await read(`/resource/${id}?format=file`, dispatch);
  // Width and height in the chunk IHDR (PNG 11.2.2).
  const isWithin = bytes && Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) <= SHOWN.sidePixels;
  return isWithin ? image(bytes, type) : undefined;
}

/** @param query further parameters of the picture */
export async function pageImage(
  inputId: string,
  page: number | undefined,
  dispatch: Dispatch,
  query: Readonly<Record<string, string>> = {},
) {
  if (page === undefined) return undefined;
  const side = String(SHOWN.sidePixels);
  const path = `/resource/${inputId}/pages/${page}.jpg?${new URLSearchParams({ width: side, height: side, ...query })}`;
  const bytes = await read(path, dispatch);
  return bytes && bytes.length <= SHOWN.bytes ? image(bytes, "image/jpeg") : undefined;
}

/** Returns the page numbers of the first outputs. */
async function pageNumbers(pages: unknown, inputId: string, dispatch: Dispatch): Promise<readonly number[]> {
  if (pages === undefined || pages === "") return Array.from({ length: SHOWN.most }, (_, index) => index + 1);
  const selection = parsePages([pages].flat().join(","));
  if (!selection) return [];
  const isOpen = selection.items.some((item) => typeof item === "object" && [item.first, item.last].includes("last"));
  if (!isOpen) return resolvePages(selection, Number.POSITIVE_INFINITY);
  const info = await dispatch(`/resource/${inputId}?format=info`);
  const { pages: count } = (await info.json()) as { pages?: number };
  return count === undefined ? [] : resolvePages(selection, count);
}

async function read(path: string, dispatch: Dispatch): Promise<Buffer | undefined> {
  const response = await dispatch(path);
  if (response.ok) return Buffer.from(await response.arrayBuffer());
  await response.body?.cancel();
  return undefined;
}

const image = (bytes: Buffer, mimeType: string): ImageContent => {
  return { type: "image", data: bytes.toString("base64"), mimeType };
};
