// Locates MuPDF's levels of anti-aliasing, which its binding does not expose: numbers in the context, which the engine's
// caller changes in memory.
import binaryen from "binaryen";
import { below, constantOf, functionOf } from "../rewrite/expressions.ts";

/** The first two levels of a new context: horizontal and vertical samples of a pixel, in one store of 64 bits. */
const SAMPLES = (15n << 32n) | 17n;

/** @throws Error if the levels are missing or ambiguous, which means another version of the engine */
export function findSmoothing(module: binaryen.Module): { readonly context: number; readonly levels: number } {
  const [contexts, levels] = [[], []] as [number[], number[]];
  for (const { ptr } of storesOf(module, "wasm_init_context")) {
    const address = constantOf(ptr);
    if (address !== undefined) contexts.push(address);
  }
  for (const { value, offset } of storesOf(module, "fz_new_context_imp")) {
    if (longOf(value) === SAMPLES) levels.push(offset);
  }
  if (contexts.length !== 1 || levels.length !== 1)
    throw new Error("unexpected version of mupdf: the levels of anti-aliasing are missing or ambiguous");
  return { context: contexts[0]!, levels: levels[0]! };
}

const storesOf = (module: binaryen.Module, name: string): binaryen.StoreInfo[] =>
  below(functionOf(module, name).body)
    .filter(({ expression }) => binaryen.getExpressionId(expression) === binaryen.StoreId)
    .map(({ expression }) => binaryen.getExpressionInfo(expression) as binaryen.StoreInfo);

/** Returns the value of an `i64.const`; otherwise undefined. */
function longOf(expression: binaryen.ExpressionRef): bigint | undefined {
  const isConstant = binaryen.getExpressionId(expression) === binaryen.ConstId;
  if (!isConstant || binaryen.getExpressionType(expression) !== binaryen.i64) return undefined;
  const { value } = binaryen.getExpressionInfo(expression) as unknown as { readonly value: bigint };
  return value;
}
