// Makes MuPDF distinguish the cached tiles of a pattern. It caches tiles by pattern number and four of the six matrix
// elements, with the pixel position of their first use. A form with a pattern, drawn again at another position, would
// get the tiles of the first position. This edit therefore adds the other two elements to the pattern number that is
// passed to the device.
import { concat, signed, unsigned } from "../rewrite/binary.ts";
import { type Body, NO_RESULT } from "../rewrite/code.ts";
import { OP } from "../rewrite/opcodes.ts";

/** Parameters of `fz_draw_begin_tile`: context, device, area, view, xstep, ystep, matrix, id, document. */
const PARAMETERS = 9;
const [MATRIX, ID] = [6, 7];
/** Bytes of a matrix before its translation. */
const TRANSLATION = [16, 20];
/** Odd, so that no bit is lost, and without a simple bit pattern. */
const FACTOR = 0x9e3779b1;

const WORD_ALIGNED = 2;

/** @throws Error if the function has other parameters, which means another version of the engine */
export function addTileKey(body: Body): void {
  if (body.parameters !== PARAMETERS)
    throw new Error("unexpected version of mupdf: fz_draw_begin_tile has other parameters");
  const mixed = TRANSLATION.flatMap((offset) => [
    ...[OP.i32Const, ...signed(FACTOR), OP.multiply],
    ...[OP.localGet, MATRIX, OP.load, WORD_ALIGNED, ...unsigned(offset), OP.exclusiveOr],
  ]);
  // Zero means a pattern that is not cached.
  const before = [
    ...[OP.localGet, ID, OP.if, NO_RESULT, OP.localGet, ID, ...mixed],
    ...[OP.i32Const, 1, OP.or, OP.localSet, ID, OP.end],
  ];
  body.code = concat([before, body.code]);
}
