// Converts coefficients to samples: dequantization and inverse DCT (T.81 A.3.3) in floating point, with the algorithm
// of Arai, Agui and Nakajima.
import { BLOCK_BYTES, Component } from "./components";
import { nonzeroMask } from "./nonzero";

/** Column-by-column index by zigzag index, because the first pass works on vectors of four columns. */
const TRANSPOSED: usize = memory.data<u8>([
  0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
  28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62,
  55, 63,
]);

/** Scale factors of the algorithm: 1, then sqrt(2) cos(k pi / 16). */
const SCALE: usize = memory.data<f64>([
  1.0, 1.387039845322148, 1.306562964876377, 1.175875602419359, 1.0, 0.785694958387102, 0.541196100146197,
  0.275899379282943,
]);

/** Factors of the current component, 32 bits each, in zigzag order. */
const factors: usize = memory.data(256, 16);
/** The current block: 8 x 8 32-bit floats. */
const work: usize = memory.data(256, 16);

const LEVEL: f32 = 128.5;

@inline
function transpose4(from: usize, to: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 32);
  const c = v128.load(from, 64);
  const d = v128.load(from, 96);
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const ef = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const gh = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<i64>(ab, cd, 0, 2));
  v128.store(to, v128.shuffle<i64>(ab, cd, 1, 3), 32);
  v128.store(to, v128.shuffle<i64>(ef, gh, 0, 2), 64);
  v128.store(to, v128.shuffle<i64>(ef, gh, 1, 3), 96);
}

const transposedWork: usize = memory.data(256, 16);

/** Transforms four columns of eight, 32 bytes apart, in place. */
@inline
function pass(at: usize): void {
  const c0 = v128.load(at);
  const c1 = v128.load(at, 32);
  const c2 = v128.load(at, 64);
  const c3 = v128.load(at, 96);
  const c4 = v128.load(at, 128);
  const c5 = v128.load(at, 160);
  const c6 = v128.load(at, 192);
  const c7 = v128.load(at, 224);
  const root = f32x4.splat(1.414213562);
  const e0 = f32x4.add(c0, c4);
  const e1 = f32x4.sub(c0, c4);
  const e3 = f32x4.add(c2, c6);
  const e2 = f32x4.sub(f32x4.mul(f32x4.sub(c2, c6), root), e3);
  const s0 = f32x4.add(e0, e3);
  const s3 = f32x4.sub(e0, e3);
  const s1 = f32x4.add(e1, e2);
  const s2 = f32x4.sub(e1, e2);
  const z13 = f32x4.add(c5, c3);
  const z10 = f32x4.sub(c5, c3);
  const z11 = f32x4.add(c1, c7);
  const z12 = f32x4.sub(c1, c7);
  const o7 = f32x4.add(z11, z13);
  const o11 = f32x4.mul(f32x4.sub(z11, z13), root);
  const z5 = f32x4.mul(f32x4.add(z10, z12), f32x4.splat(1.847759065));
  const o10 = f32x4.sub(z5, f32x4.mul(z12, f32x4.splat(1.082392200)));
  const o12 = f32x4.sub(z5, f32x4.mul(z10, f32x4.splat(2.613125930)));
  const o6 = f32x4.sub(o12, o7);
  const o5 = f32x4.sub(o11, o6);
  const o4 = f32x4.sub(o10, o5);
  v128.store(at, f32x4.add(s0, o7));
  v128.store(at, f32x4.sub(s0, o7), 224);
  v128.store(at, f32x4.add(s1, o6), 32);
  v128.store(at, f32x4.sub(s1, o6), 192);
  v128.store(at, f32x4.add(s2, o5), 64);
  v128.store(at, f32x4.sub(s2, o5), 160);
  v128.store(at, f32x4.add(s3, o4), 96);
  v128.store(at, f32x4.sub(s3, o4), 128);
}

@inline
function samples(at: usize): v128 {
  const level = f32x4.splat(LEVEL);
  const left = i32x4.trunc_sat_f32x4_s(f32x4.add(v128.load(at), level));
  const right = i32x4.trunc_sat_f32x4_s(f32x4.add(v128.load(at, 16), level));
  const row = i16x8.narrow_i32x4_s(left, right);
  return i8x16.narrow_i16x8_u(row, row);
}

function deriveFactors(steps: usize): void {
  for (let k: usize = 0; k < 64; k++) {
    const position = <usize>load<u8>(TRANSPOSED + k);
    const scale = load<f64>(SCALE + ((position >> 3) << 3)) * load<f64>(SCALE + ((position & 7) << 3));
    store<f32>(factors + (k << 2), <f32>(<f64>load<u16>(steps + (k << 1)) * scale * 0.125));
  }
}

function fillFlat(dc: i32, to: usize, stride: usize): void {
  const sample = <i32>(<f32>dc * load<f32>(factors) + LEVEL);
  const eight = <u64>min(255, max(0, sample)) * 0x0101010101010101;
  for (let y = 0; y < 8; y++, to += stride) store<u64>(to, eight);
}

/** Writes the samples of one row of blocks to the component's strip. `row` must be in memory. */
export function reconstruct(component: Component, row: u32): void {
  deriveFactors(component.steps);
  const stride = <usize>component.columns << 3;
  let block = component.block(0, row);
  let to = component.strip;
  for (let column: u32 = 0; column < component.columns; column++, block += BLOCK_BYTES, to += 8) {
    let mask = nonzeroMask(block);
    if (!(mask & ~1)) {
      fillFlat(load<i16>(block), to, stride);
      continue;
    }
    memory.fill(work, 0, 256);
    while (mask) {
      const k = <usize>ctz(mask);
      mask &= mask - 1;
      store<f32>(
        work + (<usize>load<u8>(TRANSPOSED + k) << 2),
        <f32>load<i16>(block + (k << 1)) * load<f32>(factors + (k << 2)),
      );
    }
    pass(work);
    pass(work + 16);
    transpose4(work, transposedWork);
    transpose4(work + 16, transposedWork + 128);
    transpose4(work + 128, transposedWork + 16);
    transpose4(work + 144, transposedWork + 144);
    pass(transposedWork);
    pass(transposedWork + 16);
    let row0 = transposedWork;
    let line = to;
    for (let y = 0; y < 8; y++, row0 += 32, line += stride) v128.store64_lane(line, samples(row0), 0);
  }
}
