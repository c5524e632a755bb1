// Converts samples to quantized coefficients with a dead zone, with the transform of the streaming kernel (wasm/jpeg).
import { BLOCK_BYTES as JPEG_BLOCK_BYTES, blocks, zigzag } from "../../../jpeg/assembly/layout";
import { samplesOf, YCBCR_420 } from "../../../jpeg/assembly/samples";
import { dcLevel, transformToZone } from "../../../jpeg/assembly/transform";
import { Component, componentAt, componentCount, mcuColumns } from "./components";

/** Quantizes the samples in `from` and stores them in zigzag order. */
@inline
function quantize(from: usize, table: usize, to: usize): void {
  let mask = transformToZone(from, table);
  store<i16>(to, <i16>dcLevel);
  while (mask) {
    const k = <usize>ctz(mask);
    mask &= mask - 1;
    store<i16>(to + (k << 1), load<i16>(from + load<u8>(zigzag + k)));
  }
}

/**
 * Copies the DC coefficient of the previous block to a block outside the image: an equal coefficient needs the fewest
 * bits.
 */
@inline
function repeat(component: Component, column: u32, row: u32): void {
  if (column > 0) store<i16>(component.block(column, row), load<i16>(component.block(column - 1, row)));
  else if (row > 0) store<i16>(component.block(column, row), load<i16>(component.block(column, row - 1)));
}

@inline
function load8(at: usize): v128 {
  return i16x8.sub(v128.load_ext<u8>(at), i16x8.splat(128));
}

/**
 * Transforms and quantizes eight rows of samples of one component.
 * @param from - the first row; each row has at least `usedColumns * 8` samples
 * @param stride - bytes between the starts of two rows
 */
export function takeSamples(component: Component, row: u32, from: usize, stride: usize, table: u32): void {
  for (let column: u32 = 0; column < component.columns; column++, from += 8) {
    if (column >= component.usedColumns) {
      repeat(component, column, row);
      continue;
    }
    let at = from;
    for (let line = blocks; line < blocks + JPEG_BLOCK_BYTES; line += 16, at += stride) v128.store(line, load8(at));
    quantize(blocks, table, component.block(column, row));
  }
}

/** Adds a row of blocks below the image. */
export function takeNothing(component: Component, row: u32): void {
  for (let column: u32 = 0; column < component.columns; column++) repeat(component, column, row);
}

/**
 * Transforms and quantizes a row of MCUs of RGB pixels, into the blocks of three components.
 * @param from - whole MCUs: rows of `mcuColumns * 8 * across` pixels
 */
export function takePixels(kind: u32, row: u32, from: usize): void {
  const side: usize = kind == YCBCR_420 ? 16 : 8;
  const stride = <usize>mcuColumns * side * 3;
  for (let mcu: u32 = 0; mcu < mcuColumns; mcu++, from += side * 3) {
    samplesOf(kind, from, stride);
    let block = blocks;
    for (let index: u32 = 0; index < componentCount; index++) {
      const component = componentAt(index);
      const table: usize = index ? 1 : 0;
      for (let y: u32 = 0; y < component.down; y++) {
        for (let x: u32 = 0; x < component.across; x++, block += JPEG_BLOCK_BYTES) {
          const column = mcu * component.across + x;
          const at = row * component.down + y;
          if (column < component.usedColumns && at < component.usedRows) {
            quantize(block, table, component.block(column, at));
          } else {
            repeat(component, column, at);
          }
        }
      }
    }
  }
}
