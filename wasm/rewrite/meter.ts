// Rewrites a module so that every function call and every loop iteration consumes fuel, which an exported global
// contains. The module traps when the fuel is used up. Every call therefore ends, and a page consumes the same fuel on
// all machines.
import binaryen from "binaryen";
import { below, type Expression, operandsOf } from "./expressions.ts";

const FUEL = "fuel";
const FULL = 0x7fffffff;
/**
 * A local variable counts the units of loop iterations. They are subtracted from the fuel when they exceed this number,
 * and at the end of the function.
 */
const INSTALMENT = 1 << 16;
const { auto, i32, none } = binaryen;

/** Units of fuel for a function whose innermost loops are not counted, so that they keep their speed. */
export interface FlatRate {
  readonly call: number;
  /** Units per iteration of a loop with nested loops. */
  readonly turn: number;
}

/**
 * @param flatRateOf returns the flat rate of a function by its name; undefined for 1 unit per call and per iteration of
 * every loop
 */
export function meter(module: binaryen.Module, flatRateOf: (name: string) => FlatRate | undefined): void {
  module.addGlobal(FUEL, i32, true, module.i32.const(FULL));
  module.addGlobalExport(FUEL, FUEL);
  const all = Array.from({ length: module.getNumFunctions() }, (_, index) => module.getFunctionByIndex(index));
  for (const metered of all.map(binaryen.getFunctionInfo)) {
    if (!metered.base) meterFunction(module, metered, flatRateOf(metered.name));
  }
}

function meterFunction(module: binaryen.Module, metered: binaryen.FunctionInfo, flat: FlatRate | undefined): void {
  const { name, params, results, vars, body } = metered;
  const { global, local } = module;
  const constant = (value: number) => module.i32.const(value);
  const pay = (units: Expression) => global.set(FUEL, module.i32.sub(global.get(FUEL, i32), units));
  const check = () => module.if(module.i32.lt_s(global.get(FUEL, i32), constant(0)), module.unreachable());
  const write = (whole: Expression, ...added: binaryen.Type[]) => {
    module.removeFunction(name);
    const paid = [pay(constant(call)), check(), whole];
    module.addFunction(name, params, results, [...vars, ...added], module.block(null, paid, results));
  };
  const { call, turn } = flat ?? { call: 1, turn: 1 };

  const root = module.block(null, [body], results);
  const places = below(root);
  const ofKind = (id: number) => places.filter(({ expression }) => binaryen.getExpressionId(expression) === id);
  const loops = ofKind(binaryen.LoopId);
  const outer = new Set(loops.map(({ loop }) => loop));
  const counted = flat ? loops.filter(({ expression }) => outer.has(expression)) : loops;
  if (counted.length === 0) {
    write(body);
    return;
  }

  const turns = binaryen.expandType(params).length + vars.length;
  const count = () => local.get(turns, i32);
  /** Subtracts the counted units from the fuel, after a result is computed and before it is used. */
  const settled = (value: Expression, use: (result?: Expression) => Expression) =>
    results === none
      ? module.block(null, [value || module.nop(), pay(count()), use()], auto)
      : module.block(null, [local.set(turns + 1, value), pay(count()), use(local.get(turns + 1, results))], auto);
  for (const { expression, replace } of ofKind(binaryen.ReturnId)) {
    const { value } = binaryen.getExpressionInfo(expression) as binaryen.ReturnInfo;
    replace(settled(value, (result) => module.return(result)));
  }
  for (const { expression } of counted) {
    const [inner] = operandsOf(expression);
    const instalment = [pay(count()), check(), local.set(turns, constant(0))];
    const counting = [
      local.set(turns, module.i32.add(count(), constant(turn))),
      module.if(module.i32.gt_u(count(), constant(INSTALMENT)), module.block(null, instalment)),
    ];
    const type = binaryen.getExpressionType(inner!.expression);
    inner!.replace(module.block(null, [...counting, inner!.expression], type));
  }
  const [first] = operandsOf(root);
  write(
    settled(first!.expression, (result) => result ?? module.nop()),
    i32,
    ...(results === none ? [] : [results]),
  );
}
