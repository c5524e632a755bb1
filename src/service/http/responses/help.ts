// Names the places of the reference (/docs) that explain parameters and errors, and links errors to them.
import type { ServiceError } from "../contract/errors.ts";

/** Returns the anchor of a parameter: the words of path and name, such as `png-resolution`. Brackets do not count. */
export const parameterAnchor = (path: string, name: string): string => `${words(path)}-${words(name)}`;

/** @param sentence a sentence of docs/api.md#errors */
export const errorAnchor = (sentence: string): string => {
  // A sentence with a long explanation is known by its beginning.
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
 * Returns the header field that leads from an error to its explanation (RFC 8288): that of the parameter which it is
 * about, or else that of the error.
 * @param parameters names of the parameters of the path, with or without brackets
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
  // A base URL in another script is a setting that must not break every error.
  const base = baseUrl.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return `<${base}/docs#${anchor}>; rel="help"`;
}

const bare = (name: string): string => name.replace(/\[\]$/, "");
