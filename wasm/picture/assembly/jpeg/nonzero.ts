// Computes a mask of the coefficients of a block that are not zero: bit k for zigzag index k.

@inline
function zeros(low: v128, high: v128): u64 {
  // Saturation to bytes never turns a nonzero value into zero.
  return <u64>(<u32>i8x16.bitmask(i8x16.eq(i8x16.narrow_i16x8_s(low, high), i32x4.splat(0))));
}

@inline
export function nonzeroMask(block: usize): u64 {
  return ~(
    zeros(v128.load(block), v128.load(block, 16)) |
    (zeros(v128.load(block, 32), v128.load(block, 48)) << 16) |
    (zeros(v128.load(block, 64), v128.load(block, 80)) << 32) |
    (zeros(v128.load(block, 96), v128.load(block, 112)) << 48)
  );
}

@inline
function magnitudes(at: usize, shift: i32): v128 {
  return i16x8.shr_u(i16x8.abs(v128.load(at)), shift);
}

/** Returns the mask for coefficients divided by 2^shift towards zero (T.81 G.1.2.1). */
@inline
export function shiftedMask(block: usize, shift: i32): u64 {
  return ~(
    zeros(magnitudes(block, shift), magnitudes(block + 16, shift)) |
    (zeros(magnitudes(block + 32, shift), magnitudes(block + 48, shift)) << 16) |
    (zeros(magnitudes(block + 64, shift), magnitudes(block + 80, shift)) << 32) |
    (zeros(magnitudes(block + 96, shift), magnitudes(block + 112, shift)) << 48)
  );
}
