// Decides whether the field `output` is required, and computes its default (docs/api.md#output-names).

import { stem } from "../../../document/contract/file-name.ts";
import type { Dialect } from "../../settings/config.ts";
import { namingOf } from "./declaration/output-declaration.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Form } from "./form.ts";

/** Reports whether `output` is required in a body with this encoding. */
export const needsOutput = ({ output }: Endpoint, encoding: Form["encoding"], dialect: Dialect): boolean =>
  output.kind === "files" && !output.isOptional && encoding !== "json" && dialect === "2022";

/** @param first the first input, from whose name the default is derived; undefined without inputs */
export function defaultOutput(
  { path, inputs, output }: Endpoint,
  dialect: Dialect,
  first: { readonly name: string } | undefined,
): string {
  const operation = path.slice(1);
  const base = first && stem(first.name);
  if (dialect === "current") {
    return inputs.file?.kind === "one" && base !== undefined ? `${base}_pdfrest_${operation}` : `pdfrest_${operation}`;
  }
  if (base === undefined) return operation;
  return namingOf(output) === "list" ? base : `${base}_${operation}`;
}
