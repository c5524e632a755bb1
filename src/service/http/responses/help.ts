// Links errors to the sections of the reference (/docs) that explain parameters and errors.
import type { ServiceError } from "../contract/errors.ts";

/** Returns the anchor of a parameter, formed of path and name, such as `png-resolution`. Ignores brackets. */
export const parameterAnchor = (path: string, name: string): string => `${words(path)}-${words(name)}`;

/** Earlier messages of errors, whose anchors remain valid. */
const EARLIER_MESSAGES: Readonly<Record<string, string>> = {
  "The response is available only as <types>.": "The answer is available as <types> only.",
  "The Upload-Offset does not match the upload.": "The Upload-Offset is not that of the upload.",
  "The body exceeds the Upload-Length.": "The body goes beyond the Upload-Length.",
  "The Upload-Checksum does not match the body.": "The Upload-Checksum is not that of the body.",
  "The storage is full.": "There is no room to store another file.",
};

/** @param message message template in docs/api.md#errors */
export const errorAnchor = (message: string): string => {
  const sentence = EARLIER_MESSAGES[message] ?? message;
  // The anchor of a message with an explanation uses only its beginning.
  const [beginning = ""] = sentence.split(": ");
  return `error-${words(beginning === sentence ? sentence : `${beginning} detail`)}`;
};

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/'s\b/g, "s")
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-|-$/g, "");

/**
 * Returns a Link header (RFC 8288) that leads from an error to the documentation of its parameter, or else of the
 * error.
 * @param parameters names of the path's parameters, with or without brackets
 */
export function helpLink(
  { template, values }: ServiceError,
  path: string,
  parameters: readonly string[],
  baseUrl: string,
): string {
  const { parameter = "" } = values;
  const isKnown = parameters.some((name) => bare(name) === bare(parameter));
  const anchor = isKnown ? parameterAnchor(path, parameter) : errorAnchor(template);
  // A configured base URL with non-ASCII characters must not break every error.
  const base = baseUrl.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return `<${base}/docs#${anchor}>; rel="help"`;
}

const bare = (name: string): string => name.replace(/\[\]$/, "");
