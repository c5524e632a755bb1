// Images within pages of texts: the ones that came with a request or an e-mail, as data URLs.

const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, "image/png"],
  [/^ffd8ff/, "image/jpeg"],
  [/^474946383[79]61/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^424d/, "image/bmp"],
  [/^.{8}66747970(?:61766966|61766973)/, "image/avif"],
];

/** Returns the media type of an image that the browser shows; undefined for other files. */
function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.length)).toString("hex");
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1];
}

/** Returns a data URL; undefined if the file is no image that the browser shows. */
export function imageUrl(bytes: Uint8Array): string | undefined {
  const type = imageType(bytes);
  if (type === undefined) return undefined;
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")}`;
}

/** Matches data URLs of images that documents contain themselves. */
export const IMAGE_DATA = /^data:image\/(?:png|jpe?g|gif|webp|bmp|avif)[;,]/i;
