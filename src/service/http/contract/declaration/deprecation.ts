// Tells clients which parts of the API end, and when (docs/versions.md#deprecation).
import type { Deprecation, Parameters } from "../../../../document/contract/parameter.ts";
import type { ParametersByName } from "../description.ts";
import { isSent, type SentFields } from "../fields.ts";

/** Returns a description with what to use instead. */
export const withEnd = (description: string, deprecated: Deprecation | undefined): string =>
  deprecated === undefined
    ? description
    : `${description} Deprecated since ${deprecated.since}, ends on ${deprecated.sunset}: ${deprecated.instead}`;

export const DEPRECATION_HEADERS: ParametersByName = {
  Deprecation: {
    description: "Date since which the path, or a field of the request, is deprecated (RFC 9745).",
    example: "@1798675200",
  },
  Sunset: { description: "Date on which it ends (RFC 8594).", example: "Wed, 30 Jun 2027 00:00:00 GMT" },
};

/**
 * Returns the headers of a response if the path or a field of the request is deprecated. The dates are the earliest.
 * @param baseUrl without a final slash
 */
export function deprecationHeaders(
  endpoint: { readonly path: string; readonly fields: Parameters; readonly deprecated?: Deprecation },
  form: SentFields,
  baseUrl: string,
): readonly (readonly [string, string])[] {
  const sent = Object.entries(endpoint.fields).filter(([name]) => isSent(form, name));
  const ending = [endpoint, ...sent.map(([, field]) => field)].flatMap(({ deprecated }) => deprecated ?? []);
  if (ending.length === 0) return [];
  const earliest = (dates: readonly string[]) => new Date(dates.toSorted()[0]!);
  const since = earliest(ending.map((one) => one.since)).getTime() / 1000;
  return [
    ["Deprecation", `@${since}`],
    ["Sunset", earliest(ending.map(({ sunset }) => sunset)).toUTCString()],
    ["Link", `<${baseUrl}/docs#${endpoint.path.slice(1)}>; rel="deprecation"; type="text/html"`],
  ];
}
