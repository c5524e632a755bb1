// Links an error to the section of the reference (/docs) that explains it or its parameter.
import type { ServiceError } from "../contract/errors.ts";

/** Returns the anchor of a parameter: path and name, without brackets, such as `png-resolution`. */
export const parameterAnchor = (path: string, name: string): string => `${words(path)}-${words(name)}`;

/** Earlier messages of errors. Anchors are derived from these, so that existing links remain valid. */
const EARLIER_MESSAGES: Readonly<Record<string, string>> = {
  "The response is available only as <types>.": "The answer is available as <types> only.",
  "The Upload-Offset does not match the upload.": "The Upload-Offset is not that of the upload.",
  "The body exceeds the Upload-Length.": "The body goes beyond the Upload-Length.",
  "The Upload-Checksum does not match the body.": "The Upload-Checksum is not that of the body.",
  "The storage is full.": "There is no room to store another file.",
};

/** @param message the error message with placeholders, as in docs/api.md#errors */
export const errorAnchor = (message: string): string => {
  const sentence = EARLIER_MESSAGES[message] ?? message;
  // The anchor of a message with an explanation contains only the part before the colon.
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
 * Returns a Link header (RFC 8288) from an error to the documentation of its parameter. If the error has no parameter,
 * the link leads to the documentation of the error.
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
  // Escapes non-ASCII characters of the configured base URL, which would make the header invalid.
  const base = baseUrl.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return `<${base}/docs#${anchor}>; rel="help"`;
}

const bare = (name: string): string => name.replace(/\[\]$/, "");
