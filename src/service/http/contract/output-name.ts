// Decides when a client may leave out the name of the output, and what the name is then (docs/api.md#output-names).

import { stem } from "../../../document/contract/file-name.ts";
import type { Dialect } from "../../settings/config.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Form } from "./form.ts";

/** Reports whether a request of an encoding must have `output`. */
export const needsOutput = ({ fields }: Endpoint, encoding: Form["encoding"], dialect: Dialect): boolean =>
  fields.output?.required === true && encoding !== "json" && dialect === "2022";

/** @param first the first input, whose name counts */
export function defaultOutput(
  { path, input, outputNaming }: Endpoint,
  dialect: Dialect,
  first: { readonly name: string },
): string {
  const operation = path.slice(1);
  const base = stem(first.name);
  if (dialect === "current") return input.kind === "one" ? `${base}_pdfrest_${operation}` : `pdfrest_${operation}`;
  return outputNaming === "list" ? base : `${base}_${operation}`;
}
