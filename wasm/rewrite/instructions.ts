// Walks the instructions of a function body to find loops and returns (WebAssembly Core Specification, 5.4, and the
// legacy exception handling proposal).
import { Reader } from "./binary.ts";

const OPCODE = { block: 0x02, loop: 0x03, if: 0x04, try: 0x06, end: 0x0b, return: 0x0f, delegate: 0x18 };
const OPENING = new Set([OPCODE.block, OPCODE.loop, OPCODE.if, OPCODE.try]);
/** Number of LEB128 immediates by opcode. {@link skipImmediates} handles opcodes with other immediates. */
const LEB_IMMEDIATES = new Map<number, number>([
  ...[0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x18].map((opcode): [number, number] => [opcode, 1]),
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map((opcode): [number, number] => [
    opcode,
    1,
  ]),
  [0x11, 2],
]);
const NO_IMMEDIATES = new Set([0x00, 0x01, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1]);

/** An instruction that matters for metering. */
export interface Landmark {
  readonly kind: "loop" | "return" | "last";
  /** Offsets of the instruction and of the next one. */
  readonly start: number;
  readonly end: number;
  /** Number of open blocks. */
  readonly depth: number;
  /** True for a loop without nested loops. */
  innermost?: boolean;
}

/** @returns loops, returns and the function's last `end`, in code order */
export function landmarks(code: Uint8Array): Landmark[] {
  const reader = new Reader(code);
  const found: Landmark[] = [];
  const open: (Landmark | undefined)[] = [];
  while (!reader.done) {
    const start = reader.offset;
    const opcode = reader.byte();
    skipImmediates(reader, opcode);
    const depth = open.length;
    const place = { start, end: reader.offset, depth };
    let loop: Landmark | undefined;
    if (opcode === OPCODE.loop) {
      loop = { kind: "loop", ...place, innermost: true };
      found.push(loop);
      for (const outer of open) if (outer) outer.innermost = false;
    }
    if (opcode === OPCODE.return) found.push({ kind: "return", ...place });
    else if (opcode === OPCODE.end && depth === 0) found.push({ kind: "last", ...place });
    if (OPENING.has(opcode)) open.push(loop);
    else if (opcode === OPCODE.end || opcode === OPCODE.delegate) open.pop();
  }
  return found;
}

function skipImmediates(reader: Reader, opcode: number): void {
  const count = LEB_IMMEDIATES.get(opcode);
  if (count !== undefined) skipLebs(reader, count);
  else if (NO_IMMEDIATES.has(opcode) || (opcode >= 0x45 && opcode <= 0xc4)) return;
  else if (opcode >= 0x28 && opcode <= 0x3e) skipLebs(reader, 2);
  else if (opcode === 0x43) reader.take(4);
  else if (opcode === 0x44) reader.take(8);
  else if (opcode === 0x0e) skipLebs(reader, reader.unsigned() + 1);
  else if (opcode === 0xfc) skipBulkImmediates(reader, reader.unsigned());
  else throw new Error(`opcode 0x${opcode.toString(16)} is not known`);
}

function skipBulkImmediates(reader: Reader, opcode: number): void {
  if (opcode <= 0x07) return;
  if (opcode > 0x11) throw new Error(`opcode 0xfc ${opcode} is not known`);
  const single = opcode === 0x09 || opcode === 0x0b || opcode === 0x0d || opcode >= 0x0f;
  skipLebs(reader, single ? 1 : 2);
}

function skipLebs(reader: Reader, count: number): void {
  for (let left = count; left > 0; ) if (reader.byte() < 0x80) left--;
}
