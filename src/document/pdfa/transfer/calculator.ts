// Reads and evaluates PostScript calculator functions (ISO 32000-1, 7.10.5).
import type { Effort } from "./effort.ts";

type Token = number | string | Token[];

const MAX_STACK = 100;
const MAX_TOKENS = 20_000;
const MAX_DEPTH = 32;
const DEGREES = 180 / Math.PI;

/**
 * @param outputs number of results, which are on top of the stack at the end
 * @returns undefined for an invalid program
 */
export function readCalculator(
  text: string,
  outputs: number,
  effort: Effort,
): ((inputs: readonly number[]) => number[]) | undefined {
  const tokens = text.replace(/%[^\r\n]*/g, " ").match(/[{}]|[^\s{}]+/g) ?? [];
  if (tokens.length > MAX_TOKENS || tokens[0] !== "{") return undefined;
  const open: Token[][] = [];
  let program: Token[] | undefined;
  for (const token of tokens) {
    if (token === "{") open.push([]);
    else if (token === "}") {
      const block = open.pop();
      if (!block || open.length > MAX_DEPTH) return undefined;
      if (open.length > 0) open.at(-1)!.push(block);
      else program = block;
    } else if (program || !isKnown(token)) return undefined;
    else open.at(-1)!.push(Number.isNaN(Number(token)) ? token : Number(token));
  }
  if (!program || open.length > 0) return undefined;
  const whole = program;
  return (inputs) => {
    const stack: Operand[] = [...inputs];
    run(whole, stack, effort);
    const values = stack.slice(-outputs).map(Number);
    return values.map((value) => (Number.isFinite(value) ? value : 0));
  };
}

type Operand = number | boolean;

const isKnown = (token: string) =>
  [UNARY, BINARY, STACK].some((table) => Object.hasOwn(table, token)) ||
  ["true", "false", "if", "ifelse"].includes(token) ||
  !Number.isNaN(Number(token));
const isWhole = (a: Operand, b: Operand) => typeof a === "number" && typeof b === "number";

const UNARY: Readonly<Record<string, (a: Operand) => Operand>> = {
  abs: (a) => Math.abs(Number(a)),
  ceiling: (a) => Math.ceil(Number(a)),
  cos: (a) => Math.cos(Number(a) / DEGREES),
  cvi: (a) => Math.trunc(Number(a)),
  cvr: (a) => a,
  floor: (a) => Math.floor(Number(a)),
  ln: (a) => Math.log(Number(a)),
  log: (a) => Math.log10(Number(a)),
  neg: (a) => -Number(a),
  not: (a) => (typeof a === "boolean" ? !a : ~a),
  round: (a) => Math.floor(Number(a) + 0.5),
  sin: (a) => Math.sin(Number(a) / DEGREES),
  sqrt: (a) => Math.sqrt(Number(a)),
  truncate: (a) => Math.trunc(Number(a)),
};

const BINARY: Readonly<Record<string, (a: Operand, b: Operand) => Operand>> = {
  add: (a, b) => Number(a) + Number(b),
  sub: (a, b) => Number(a) - Number(b),
  mul: (a, b) => Number(a) * Number(b),
  div: (a, b) => Number(a) / Number(b),
  idiv: (a, b) => Math.trunc(Number(a) / Number(b)),
  mod: (a, b) => Number(a) % Number(b),
  exp: (a, b) => Number(a) ** Number(b),
  atan: (a, b) => (Math.atan2(Number(a), Number(b)) * DEGREES + 360) % 360,
  bitshift: (a, b) => (Number(b) >= 0 ? Number(a) << Number(b) : Number(a) >> -Number(b)),
  and: (a, b) => (isWhole(a, b) ? Number(a) & Number(b) : Boolean(a) && Boolean(b)),
  or: (a, b) => (isWhole(a, b) ? Number(a) | Number(b) : Boolean(a) || Boolean(b)),
  xor: (a, b) => (isWhole(a, b) ? Number(a) ^ Number(b) : Boolean(a) !== Boolean(b)),
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

const STACK: Readonly<Record<string, (stack: Operand[]) => void>> = {
  pop: (stack) => stack.pop(),
  exch: (stack) => stack.push(...stack.splice(-2).reverse()),
  dup: (stack) => stack.push(...stack.slice(-1)),
  copy(stack) {
    const count = Number(stack.pop());
    if (count > 0) stack.push(...stack.slice(-count));
  },
  index(stack) {
    const value = stack.at(-1 - Number(stack.pop()));
    if (value !== undefined) stack.push(value);
  },
  roll(stack) {
    const by = Number(stack.pop());
    const count = Number(stack.pop());
    if (!(count > 0 && count <= stack.length)) return;
    const some = stack.splice(-count);
    const shift = ((by % count) + count) % count;
    stack.push(...some.slice(count - shift), ...some.slice(0, count - shift));
  },
};

function run(program: readonly Token[], stack: Operand[], effort: Effort): void {
  effort.spend(program.length);
  program.forEach((token, index) => {
    if (typeof token === "number") stack.push(token);
    else if (typeof token !== "string") return;
    else if (token === "true" || token === "false") stack.push(token === "true");
    else if (token === "if" || token === "ifelse") {
      const block = chosen(program, index, token, stack.pop() === true);
      if (Array.isArray(block)) run(block, stack, effort);
    } else if (token in UNARY) stack.push(UNARY[token]!(stack.pop() ?? 0));
    else if (token in BINARY) {
      const second = stack.pop() ?? 0;
      stack.push(BINARY[token]!(stack.pop() ?? 0, second));
    } else STACK[token]!(stack);
    if (stack.length > MAX_STACK) stack.length = MAX_STACK;
  });
}

/** Returns the block that a condition selects; undefined if there is none. */
function chosen(program: readonly Token[], index: number, operator: "if" | "ifelse", condition: boolean) {
  if (operator === "if") return condition ? program[index - 1] : undefined;
  return program[condition ? index - 2 : index - 1];
}
