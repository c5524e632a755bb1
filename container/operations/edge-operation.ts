// Makes an operation of the Worker one that the container's threads carry out.

import type { z } from "zod";
import type { Context, Input, Operation, Output } from "../../src/core/operation.ts";

/** An operation whose parameters have come from somewhere else. */
export type UncheckedOperation = (inputs: readonly Input[], params: unknown, context: Context) => AsyncIterable<Output>;

/** @throws ZodError (to the log; `crashed` for the client) where the parameters are not of that shape */
export function edgeOperation<P>(operation: Operation<P>, schema: z.ZodType<P>): UncheckedOperation {
  return async function* (inputs, params, context) {
    yield* operation(inputs, schema.parse(params), context);
  };
}
