// Links errors to the sections of the reference (/docs) that explain parameters and errors.
import type { ServiceError } from "../contract/errors.ts";

/** Returns the anchor of a parameter, formed of path and name, such as `png-resolution`. Ignores brackets. */
export const parameterAnchor = (path: string, name: string): string => `${words(path)}-${words(name)}`;

/** @param sentence message template in docs/api.md#errors */
export const errorAnchor = (sentence: string): string => {
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
