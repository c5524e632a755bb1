// Transforms one block in place: forward DCT (T.81 A.3.3), quantization (A.3.4) and the mask of nonzero coefficients.
// Three transforms: fast, with 16 bits; exact, for fine quantizers; exact, with a dead zone.
import { BLOCK_BYTES, dcFactors, factors, zigzagMasks } from "./layout";

/** Quantized DC coefficient of the last transformed block. */
export let dcLevel: i32 = 0;

// Constants of the fast transform (Arai, Agui and Nakajima), 15 fraction bits, in eight lanes each.
const FAST: usize = memory.data<i16>(
  [
    23170, 23170, 23170, 23170, 23170, 23170, 23170, 23170, // cos(4 pi / 16)
    12540, 12540, 12540, 12540, 12540, 12540, 12540, 12540, // cos(6 pi / 16)
    17734, 17734, 17734, 17734, 17734, 17734, 17734, 17734, // cos(2 pi / 16) - cos(6 pi / 16)
    10045, 10045, 10045, 10045, 10045, 10045, 10045, 10045, // cos(2 pi / 16) + cos(6 pi / 16) - 1
  ],
  16,
);

// Constants of the exact transform: pairs of c[k] = sqrt(2) cos(k pi / 16) with 13 fraction bits, in the order of the
// rows of the cosine matrix: c1 = 11363, c2 = 10703, c3 = 9633, c5 = 6436, c6 = 4433, c7 = 2260.
const EXACT: usize = memory.data<i16>(
  [
    10703, 4433, 10703, 4433, 10703, 4433, 10703, 4433, // c2, c6: coefficient 2
    4433, -10703, 4433, -10703, 4433, -10703, 4433, -10703, // c6, -c2: coefficient 6
    11363, 9633, 11363, 9633, 11363, 9633, 11363, 9633, // c1, c3: coefficient 1
    6436, 2260, 6436, 2260, 6436, 2260, 6436, 2260, // c5, c7
    9633, -2260, 9633, -2260, 9633, -2260, 9633, -2260, // c3, -c7: coefficient 3
    -11363, -6436, -11363, -6436, -11363, -6436, -11363, -6436, // -c1, -c5
    6436, -11363, 6436, -11363, 6436, -11363, 6436, -11363, // c5, -c1: coefficient 5
    2260, 9633, 2260, 9633, 2260, 9633, 2260, 9633, // c7, c3
    2260, -6436, 2260, -6436, 2260, -6436, 2260, -6436, // c7, -c5: coefficient 7
    9633, -11363, 9633, -11363, 9633, -11363, 9633, -11363, // c3, -c1
  ],
  16,
);
const EXACT_FRACTION_BITS: i32 = 13;

/** Bits by which samples are scaled up before each transform: the maximum without 16-bit overflow. */
const FAST_SCALE_BITS: i32 = 1;
const EXACT_SCALE_BITS: i32 = 2;

@inline
function low16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
function high16(a: v128, b: v128): v128 {
  return v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

@inline
function low32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 4, 1, 5);
}

@inline
function high32(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 2, 6, 3, 7);
}

@inline
function low64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 0, 2);
}

@inline
function high64(a: v128, b: v128): v128 {
  return v128.shuffle<i64>(a, b, 1, 3);
}

@inline
function or4(a: v128, b: v128, c: v128, d: v128): v128 {
  return v128.or(v128.or(a, b), v128.or(c, d));
}

@inline
function zigzag4(target: usize, n0: v128, n1: v128, n2: v128, n3: v128): v128 {
  const masks = zigzagMasks + target * 64;
  return or4(
    i8x16.swizzle(n0, v128.load(masks)),
    i8x16.swizzle(n1, v128.load(masks, 16)),
    i8x16.swizzle(n2, v128.load(masks, 32)),
    i8x16.swizzle(n3, v128.load(masks, 48)),
  );
}

/**
 * Returns a mask: bit k is set if the coefficient at zigzag index k is not zero. Saturation to bytes never turns a
 * nonzero value into zero.
 */
@inline
function nonzeroMask(q0: v128, q1: v128, q2: v128, q3: v128, q4: v128, q5: v128, q6: v128, q7: v128): u64 {
  const n0 = i8x16.narrow_i16x8_s(q0, q1);
  const n1 = i8x16.narrow_i16x8_s(q2, q3);
  const n2 = i8x16.narrow_i16x8_s(q4, q5);
  const n3 = i8x16.narrow_i16x8_s(q6, q7);
  const zero = i32x4.splat(0);
  const z0 = i8x16.bitmask(i8x16.eq(zigzag4(0, n0, n1, n2, n3), zero));
  const z1 = i8x16.bitmask(i8x16.eq(zigzag4(1, n0, n1, n2, n3), zero));
  const z2 = i8x16.bitmask(i8x16.eq(zigzag4(2, n0, n1, n2, n3), zero));
  const z3 = i8x16.bitmask(i8x16.eq(zigzag4(3, n0, n1, n2, n3), zero));
  return ~((<u64>(<u32>z0 | (<u32>z1 << 16))) | (<u64>(<u32>z2 | (<u32>z3 << 16)) << 32));
}

/**
 * Returns the DC coefficient of a block whose samples have the sum `sum`: sum / (8 * step), rounded. Halves are rounded
 * away from zero, because rounding them up would brighten whole images.
 */
@inline
function quantizeDc(sum: i32, table: usize): i32 {
  return <i32>((<i64>sum * load<i64>(dcFactors + (table << 3)) + 0x80000000 + <i64>(sum >> 31)) >> 32);
}

/** Drops the fraction bits of the cosines. */
@inline
function roundExact(a: v128): v128 {
  return i32x4.shr_s(i32x4.add(a, i32x4.splat(1 << (EXACT_FRACTION_BITS - 1))), EXACT_FRACTION_BITS);
}

/** Returns a coefficient of the even part: pairs of terms times a pair of cosines. */
@inline
function even(low: v128, high: v128, row: usize): v128 {
  const cosines = v128.load(EXACT + row * 16);
  return i16x8.narrow_i32x4_s(
    roundExact(i32x4.dot_i16x8_s(low, cosines)),
    roundExact(i32x4.dot_i16x8_s(high, cosines)),
  );
}

/** Returns a coefficient of the odd part: four terms times four cosines. */
@inline
function odd(low01: v128, high01: v128, low23: v128, high23: v128, row: usize): v128 {
  const cosines01 = v128.load(EXACT + row * 16);
  const cosines23 = v128.load(EXACT + row * 16 + 16);
  return i16x8.narrow_i32x4_s(
    roundExact(i32x4.add(i32x4.dot_i16x8_s(low01, cosines01), i32x4.dot_i16x8_s(low23, cosines23))),
    roundExact(i32x4.add(i32x4.dot_i16x8_s(high01, cosines01), i32x4.dot_i16x8_s(high23, cosines23))),
  );
}

const EXACT_STEP_BITS: i32 = 19;

/** Multiplies coefficients by 2^14 / step with 19 fraction bits, and rounds. */
@inline
function quantizeExact(coefficients: v128, at: usize): v128 {
  const factor = v128.load(at);
  const half = i32x4.splat(1 << (EXACT_STEP_BITS - 1));
  return i16x8.narrow_i32x4_s(
    i32x4.shr_s(i32x4.add(i32x4.extmul_low_i16x8_s(coefficients, factor), half), EXACT_STEP_BITS),
    i32x4.shr_s(i32x4.add(i32x4.extmul_high_i16x8_s(coefficients, factor), half), EXACT_STEP_BITS),
  );
}

/**
 * Dead zone: AC coefficients below this become zero; others are more often rounded down than up. The saved bits
 * outweigh the visible loss.
 */
const ZONE: i32 = <i32>(0.6 * <f64>(1 << EXACT_STEP_BITS));
const ZONE_ROUNDING: i32 = <i32>(0.42 * <f64>(1 << EXACT_STEP_BITS));

/** Rounds four products with a dead zone. */
@inline
function quantize4ToZone(product: v128): v128 {
  const sign = i32x4.shr_s(product, 31);
  const magnitude = i32x4.sub(v128.xor(product, sign), sign);
  const level = i32x4.shr_s(i32x4.add(magnitude, i32x4.splat(ZONE_ROUNDING)), EXACT_STEP_BITS);
  const kept = v128.and(level, i32x4.ge_s(magnitude, i32x4.splat(ZONE)));
  return i32x4.sub(v128.xor(kept, sign), sign);
}

@inline
function quantizeToZone(coefficients: v128, at: usize): v128 {
  const factor = v128.load(at);
  return i16x8.narrow_i32x4_s(
    quantize4ToZone(i32x4.extmul_low_i16x8_s(coefficients, factor)),
    quantize4ToZone(i32x4.extmul_high_i16x8_s(coefficients, factor)),
  );
}

@inline
function timesCosine(a: v128, constant: usize): v128 {
  return i16x8.q15mulr_sat_s(a, v128.load(FAST + constant * 16));
}

/** Kinds of transforms: 16 bits; exact; exact with a dead zone. */
const IN_16_BITS: u32 = 0;
const EXACTLY: u32 = 1;
const TO_ZONE: u32 = 2;

@inline
function quantize(coefficients: v128, at: usize, kind: u32): v128 {
  if (kind == TO_ZONE) return quantizeToZone(coefficients, at);
  return kind == EXACTLY ? quantizeExact(coefficients, at) : quantizeFast(coefficients, at);
}

@inline
function quantizeFast(coefficients: v128, at: usize): v128 {
  return i16x8.q15mulr_sat_s(coefficients, v128.load(at));
}

/**
 * Transforms and quantizes the block in place (transposed), and sets {@link dcLevel}.
 * @returns the mask of nonzero AC coefficients: bit k for zigzag index k
 */
@inline
function transform(block: usize, table: usize, kind: u32): u64 {
  const exact = kind != IN_16_BITS;
  let d0 = v128.load(block);
  let d1 = v128.load(block, 16);
  let d2 = v128.load(block, 32);
  let d3 = v128.load(block, 48);
  let d4 = v128.load(block, 64);
  let d5 = v128.load(block, 80);
  let d6 = v128.load(block, 96);
  let d7 = v128.load(block, 112);

  const first = i16x8.extract_lane_s(d0, 0);
  const flat = i16x8.splat(first);
  const unlike = v128.or(
    or4(v128.xor(d0, flat), v128.xor(d1, flat), v128.xor(d2, flat), v128.xor(d3, flat)),
    or4(v128.xor(d4, flat), v128.xor(d5, flat), v128.xor(d6, flat), v128.xor(d7, flat)),
  );
  if (!v128.any_true(unlike)) {
    dcLevel = quantizeDc(64 * <i32>first, table);
    return 0;
  }

  const scale = exact ? EXACT_SCALE_BITS : FAST_SCALE_BITS;
  d0 = i16x8.shl(d0, scale);
  d1 = i16x8.shl(d1, scale);
  d2 = i16x8.shl(d2, scale);
  d3 = i16x8.shl(d3, scale);
  d4 = i16x8.shl(d4, scale);
  d5 = i16x8.shl(d5, scale);
  d6 = i16x8.shl(d6, scale);
  d7 = i16x8.shl(d7, scale);

  // Transforms the columns, then (transposed) the rows, in one loop: the code contains the butterfly only once, and its
  // values stay in registers.
  let transposed = false;
  while (true) {
    const s0 = i16x8.add(d0, d7);
    const s1 = i16x8.add(d1, d6);
    const s2 = i16x8.add(d2, d5);
    const s3 = i16x8.add(d3, d4);
    const t0 = i16x8.sub(d0, d7);
    const t1 = i16x8.sub(d1, d6);
    const t2 = i16x8.sub(d2, d5);
    const t3 = i16x8.sub(d3, d4);
    const e0 = i16x8.add(s0, s3);
    const e1 = i16x8.add(s1, s2);
    const e2 = i16x8.sub(s1, s2);
    const e3 = i16x8.sub(s0, s3);
    d0 = i16x8.add(e0, e1);
    d4 = i16x8.sub(e0, e1);
    if (exact) {
      const lowEven = low16(e3, e2);
      const highEven = high16(e3, e2);
      d2 = even(lowEven, highEven, 0);
      d6 = even(lowEven, highEven, 1);
      const low01 = low16(t0, t1);
      const high01 = high16(t0, t1);
      const low23 = low16(t2, t3);
      const high23 = high16(t2, t3);
      d1 = odd(low01, high01, low23, high23, 2);
      d3 = odd(low01, high01, low23, high23, 4);
      d5 = odd(low01, high01, low23, high23, 6);
      d7 = odd(low01, high01, low23, high23, 8);
    } else {
      const z1 = timesCosine(i16x8.add(e2, e3), 0);
      d2 = i16x8.add(e3, z1);
      d6 = i16x8.sub(e3, z1);
      const b0 = i16x8.add(t3, t2);
      const b1 = i16x8.add(t2, t1);
      const b2 = i16x8.add(t1, t0);
      const z5 = timesCosine(i16x8.sub(b0, b2), 1);
      const z2 = i16x8.add(timesCosine(b0, 2), z5);
      const z4 = i16x8.add(i16x8.add(b2, timesCosine(b2, 3)), z5);
      const z3 = timesCosine(b1, 0);
      const plus = i16x8.add(t0, z3);
      const minus = i16x8.sub(t0, z3);
      d5 = i16x8.add(minus, z2);
      d3 = i16x8.sub(minus, z2);
      d1 = i16x8.add(plus, z4);
      d7 = i16x8.sub(plus, z4);
    }
    if (transposed) break;
    transposed = true;
    const p0 = low16(d0, d1);
    const p1 = high16(d0, d1);
    const p2 = low16(d2, d3);
    const p3 = high16(d2, d3);
    const p4 = low16(d4, d5);
    const p5 = high16(d4, d5);
    const p6 = low16(d6, d7);
    const p7 = high16(d6, d7);
    const r0 = low32(p0, p2);
    const r1 = high32(p0, p2);
    const r2 = low32(p1, p3);
    const r3 = high32(p1, p3);
    const r4 = low32(p4, p6);
    const r5 = high32(p4, p6);
    const r6 = low32(p5, p7);
    const r7 = high32(p5, p7);
    d0 = low64(r0, r4);
    d1 = high64(r0, r4);
    d2 = low64(r1, r5);
    d3 = high64(r1, r5);
    d4 = low64(r2, r6);
    d5 = high64(r2, r6);
    d6 = low64(r3, r7);
    d7 = high64(r3, r7);
  }

  dcLevel = quantizeDc(<i32>i16x8.extract_lane_s(d0, 0) >> scale, table);
  const at = factors + table * BLOCK_BYTES;
  d0 = quantize(d0, at, kind);
  d1 = quantize(d1, at + 16, kind);
  d2 = quantize(d2, at + 32, kind);
  d3 = quantize(d3, at + 48, kind);
  d4 = quantize(d4, at + 64, kind);
  d5 = quantize(d5, at + 80, kind);
  d6 = quantize(d6, at + 96, kind);
  d7 = quantize(d7, at + 112, kind);
  v128.store(block, d0);
  v128.store(block, d1, 16);
  v128.store(block, d2, 32);
  v128.store(block, d3, 48);
  v128.store(block, d4, 64);
  v128.store(block, d5, 80);
  v128.store(block, d6, 96);
  v128.store(block, d7, 112);
  return nonzeroMask(d0, d1, d2, d3, d4, d5, d6, d7) & ~1;
}

export function transformFast(block: usize, table: usize): u64 {
  return transform(block, table, IN_16_BITS);
}

export function transformExact(block: usize, table: usize): u64 {
  return transform(block, table, EXACTLY);
}

/** Transforms with a dead zone. */
export function transformToZone(block: usize, table: usize): u64 {
  return transform(block, table, TO_ZONE);
}
