// Formats sizes, times and names for display.

const UNITS = ["bytes", "KB", "MB", "GB"];

/** Returns a size with its unit, for example `1.2 MB`. Units are powers of 1024, as in the API. */
export function sizeText(bytes: number): string {
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 2 ** (10 * power);
  return `${value.toLocaleString("en-US", { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${UNITS[power]}`;
}

/** Maximum displayed factor of a change. Larger factors occur only for tiny files. */
const MAX_TIMES = 10;

/** Formats a change of size, such as `62% smaller` or `3 times as large`; undefined for an empty original. */
export function changeText(before: number, after: number): string | undefined {
  if (before === 0) return undefined;
  const times = after / before;
  if (times >= MAX_TIMES) return `more than ${MAX_TIMES} times as large`;
  if (times >= 2) return `${Math.round(times)} times as large`;
  const percent = Math.round(Math.abs(times - 1) * 100);
  if (percent === 0) return "none";
  return times < 1 ? `${Math.min(percent, 99)}% smaller` : `${percent}% larger`;
}

/** Formats the expiry of a file, such as `18:40`. Adds the day unless the file expires today. */
export function endText(expires: string, now = new Date()): string {
  const end = new Date(expires);
  const time = end.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const isToday = end.toDateString() === now.toDateString();
  const day = isToday ? "" : `${end.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, `;
  return `${day}${time}`;
}

export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** Returns the label of a parameter: `color_model` becomes `Color model`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/\[\]$/, "")
    .replaceAll("_", " ")
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(pdf|html|json|jpeg|id|url)\b/gi, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a file name without its extension. */
export const stemOf = (name: string): string => name.replace(/(?<=.)\.[^.]{1,8}$/, "");

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/vnd.adobe.xdp+xml": "xdp",
  "application/vnd.adobe.xfd+xml": "xfd",
  "application/vnd.adobe.xfdf": "xfdf",
  "application/vnd.fdf": "fdf",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/xml": "xml",
  "application/pdf": "pdf",
  "application/postscript": "ps",
  "application/zip": "zip",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/tiff": "tif",
  "image/webp": "webp",
  "text/html": "html",
};

/** Returns the extension that the service uses for a media type. */
export const extensionOf = (type: string): string => EXTENSIONS[type.split(";")[0]!.trim()] ?? "bin";
