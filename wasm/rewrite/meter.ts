// Rewrites a module so that every function call and every loop iteration takes one unit of fuel from an exported
// global, and traps when it is used up. So every call ends, and the cost of a page is equal on all machines.
import { concat, signed, unsigned } from "./binary.ts";
import { addLocal, type Body, type Code, NO_RESULT } from "./code.ts";
import { type Landmark, landmarks } from "./instructions.ts";
import { OP } from "./opcodes.ts";

/**
 * Loop iterations are counted in a local, and subtracted from the fuel after this many, or at the end of the function.
 */
const INSTALMENT = 1 << 16;

/** Units of fuel for a function whose innermost loops are not counted, so that they keep their speed. */
export interface FlatRate {
  readonly call: number;
  /** Units per iteration of a loop with nested loops. */
  readonly turn: number;
}

/** @param flatRates by function index; all other functions cost 1 per call and 1 per iteration of every loop */
export function meter(code: Code, fuelGlobal: number, flatRates: ReadonlyMap<number, FlatRate>): void {
  code.bodies.forEach((body, index) => {
    const flat = flatRates.get(code.first + index);
    const all = landmarks(body.code);
    const marks = flat ? all.filter(({ innermost }) => !innermost) : all;
    const rate = flat ?? { call: 1, turn: 1 };
    if (marks.some(({ kind }) => kind === "loop")) meterLoops(body, marks, fuelGlobal, rate);
    else body.code = concat([pay(fuelGlobal, constant(rate.call)), check(fuelGlobal), body.code]);
  });
}

/**
 * Wraps the body in a block, so that every exit, by `return` or by a branch to the end of the function, passes the
 * payment after the block.
 */
function meterLoops(body: Body, marks: readonly Landmark[], fuelGlobal: number, rate: FlatRate): void {
  const turns = unsigned(addLocal(body));
  const payTurns = pay(fuelGlobal, [OP.localGet, ...turns]);
  const count = [
    ...[OP.localGet, ...turns, ...constant(rate.turn), OP.add, OP.localTee, ...turns],
    ...[...constant(INSTALMENT), OP.gtU, OP.if, NO_RESULT],
    ...[...payTurns, ...check(fuelGlobal), ...constant(0), OP.localSet, ...turns, OP.end],
  ];
  const parts: (Uint8Array | number[])[] = [
    pay(fuelGlobal, constant(rate.call)),
    check(fuelGlobal),
    [OP.block, body.result],
  ];
  let from = 0;
  for (const { kind, start, end, depth } of marks) {
    if (kind === "loop") parts.push(body.code.subarray(from, end), count);
    else if (kind === "return") parts.push(body.code.subarray(from, start), [OP.br, ...unsigned(depth)]);
    else parts.push(body.code.subarray(from, end), payTurns, [OP.end]);
    from = end;
  }
  body.code = concat(parts);
}

const constant = (value: number): number[] => [OP.i32Const, ...signed(value)];

function pay(fuelGlobal: number, amount: readonly number[]): number[] {
  const index = unsigned(fuelGlobal);
  return [OP.globalGet, ...index, ...amount, OP.sub, OP.globalSet, ...index];
}

function check(fuelGlobal: number): number[] {
  return [OP.globalGet, ...unsigned(fuelGlobal), ...constant(0), OP.ltS, OP.if, NO_RESULT, OP.unreachable, OP.end];
}
