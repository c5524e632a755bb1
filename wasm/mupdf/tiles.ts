// Makes MuPDF distinguish the cached tiles of a pattern. It caches tiles by pattern number and four of the six matrix
// elements, with the pixel position of their first use. A form with a pattern, drawn again at another position, would
// get the tiles of the first position. This edit therefore adds the other two elements to the pattern number that is
// passed to the device.
import binaryen from "binaryen";
import { functionOf, setBody } from "../rewrite/expressions.ts";

const FUNCTION = "fz_draw_begin_tile";
/** Parameters of `fz_draw_begin_tile`: context, device, area, view, xstep, ystep, matrix, id, document. */
const PARAMETERS = 9;
const [MATRIX, ID] = [6, 7];
/** Byte offsets of the translation in a matrix. */
const TRANSLATION = [16, 20];
/** Multiplier for mixing: odd, so that no bit is lost, and without a simple bit pattern. */
const FACTOR = 0x9e3779b1;

/** @throws Error if the function has other parameters, which means another version of the engine */
export function addTileKey(module: binaryen.Module): void {
  const { params, results, body } = functionOf(module, FUNCTION);
  if (binaryen.expandType(params).length !== PARAMETERS)
    throw new Error(`unexpected version of mupdf: ${FUNCTION} has other parameters`);
  const { i32, local } = module;
  const get = (index: number) => local.get(index, binaryen.i32);
  const mixed = TRANSLATION.reduce(
    (key, offset) => i32.xor(i32.mul(key, i32.const(FACTOR)), i32.load(offset, 4, get(MATRIX))),
    get(ID),
  );
  // Zero means a pattern that is not cached.
  const added = module.if(get(ID), local.set(ID, i32.or(mixed, i32.const(1))));
  setBody(module, FUNCTION, module.block(null, [added, body], results));
}
