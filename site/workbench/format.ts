// Words numbers and names for people.

const UNITS = ["bytes", "KB", "MB", "GB"];

/** Returns a size with its unit, for example `1.2 MB`. Units are powers of 1024, like those of the API. */
export function sizeText(bytes: number): string {
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 2 ** (10 * power);
  return `${value.toLocaleString("en-US", { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power]}`;
}

/** Returns a change of size in percent, such as `62% smaller`; undefined if it rounds to nothing. */
export function changeText(before: number, after: number): string | undefined {
  if (before === 0) return undefined;
  const percent = Math.round((Math.abs(after - before) / before) * 100);
  if (percent === 0) return undefined;
  return `${percent.toLocaleString("en-US")}% ${after < before ? "smaller" : "larger"}`;
}

export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** Returns the words of a parameter's name: `color_model` becomes `Color model`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/\[\]$/, "")
    .replaceAll("_", " ")
    .replace(/\b(pdf|html|json|jpeg|id|url)\b/gi, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a file name without its extension. */
export const stemOf = (name: string): string => name.replace(/(?<=.)\.[^.]{1,8}$/, "");

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/zip": "zip",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/tiff": "tif",
  "text/html": "html",
};

/** Returns the extension that the service gives to files of a media type. */
export const extensionOf = (type: string): string => EXTENSIONS[type.split(";")[0]!.trim()] ?? "bin";
