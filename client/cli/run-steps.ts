// Chooses how the steps in a file run on several documents.
import { OPERATION_SCHEMAS } from "../generated/operation-schemas.ts";
import type { OperationSchema } from "./operation-types.ts";

/**
 * Returns the operation for steps: once for each document, or once for all if a step joins documents. Its output has
 * the type of the last step.
 * @param steps JSON; the service reports its errors
 */
export function operationFor(operation: OperationSchema, steps: string): OperationSchema {
  const schemas = namesIn(steps).flatMap((name) => OPERATION_SCHEMAS.find(({ path }) => path === `/${name}`) ?? []);
  const { type, isData } = schemas.at(-1)?.output ?? operation.output;
  const kind = schemas.some(({ input }) => input.kind === "several") ? "several" : "one";
  return {
    ...operation,
    input: { ...operation.input, kind },
    // The answer of an operation that returns data is a file here.
    output: { ...operation.output, type: isData ? "application/json" : type },
  };
}

function namesIn(steps: string): readonly string[] {
  try {
    return (JSON.parse(steps) as readonly object[]).flatMap((step) => Object.keys(step));
  } catch {
    return [];
  }
}
