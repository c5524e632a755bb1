// Walks and changes the expressions of a function. Uses functions of binaryen that its type declarations omit.
import binaryen from "binaryen";

export type Expression = binaryen.ExpressionRef;

/** Operands by kind of expression. A kind that is not listed fails the build: its operands could contain loops. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  ...{ Block: ["Children"], If: ["Condition", "IfTrue", "IfFalse"], Loop: ["Body"], Try: ["Body", "CatchBodies"] },
  ...{ Break: ["Condition", "Value"], Switch: ["Condition", "Value"], Return: ["Value"], Throw: ["Operands"] },
  ...{ Call: ["Operands"], CallIndirect: ["Target", "Operands"], LocalSet: ["Value"], GlobalSet: ["Value"] },
  ...{ Load: ["Ptr"], Store: ["Ptr", "Value"], MemoryGrow: ["Delta"], MemoryFill: ["Dest", "Value", "Size"] },
  ...{ MemoryCopy: ["Dest", "Source", "Size"], Unary: ["Value"], Binary: ["Left", "Right"], Drop: ["Value"] },
  ...{ Select: ["IfTrue", "IfFalse", "Condition"], Const: [], LocalGet: [], GlobalGet: [], MemorySize: [] },
  ...{ Nop: [], Unreachable: [], Pop: [], Rethrow: [] },
};
const ITEM: Readonly<Record<string, string>> = { Children: "Child", Operands: "Operand", CatchBodies: "CatchBody" };

type Accessors = Readonly<Record<string, (expression: Expression, ...values: number[]) => number>>;
const classes = binaryen as unknown as Readonly<Record<string, Accessors>>;
const ids = binaryen as unknown as Readonly<Record<string, number>>;
const KINDS = new Map(Object.entries(OPERANDS).map(([name, operands]) => [ids[`${name}Id`], { name, operands }]));

/** An expression and its position in a function. */
export interface Place {
  readonly expression: Expression;
  /** The nearest enclosing loop. */
  readonly loop: Expression | undefined;
  replace(by: Expression): void;
}

/** @returns all expressions nested in `root` */
export function below(root: Expression): Place[] {
  const places = operandsOf(root, undefined);
  // The list grows during the loop.
  for (const { expression, loop } of places) places.push(...operandsOf(expression, loop));
  return places;
}

/** @param around the nearest loop that encloses the expression */
export function operandsOf(expression: Expression, around?: Expression): Place[] {
  const id = binaryen.getExpressionId(expression);
  const kind = KINDS.get(id);
  if (!kind) throw new Error(`expressions of binaryen's kind ${id} are not known`);
  const loop = id === binaryen.LoopId ? expression : around;
  const accessors = classes[kind.name];
  return kind.operands.flatMap((operand) => {
    const item = ITEM[operand];
    if (item === undefined) {
      const value = accessors![`get${operand}`]!(expression);
      return value
        ? [{ expression: value, loop, replace: (by) => void accessors![`set${operand}`]!(expression, by) }]
        : [];
    }
    return Array.from({ length: accessors![`getNum${operand}`]!(expression) }, (_, index) => ({
      expression: accessors![`get${item}At`]!(expression, index),
      ...{ loop, replace: (by: Expression) => void accessors![`set${item}At`]!(expression, index, by) },
    }));
  });
}

/**
 * Replaces the only `i32.const from` of a function.
 * @throws Error if there is no such constant or more than one, which means another version of the engine
 */
export function replaceConstant(module: binaryen.Module, name: string, from: number, to: number): void {
  const found = below(functionOf(module, name).body).filter(({ expression }) => constantOf(expression) === from);
  if (found.length !== 1) throw new Error(`i32.const ${from} is not exactly once in ${name}`);
  found[0]!.replace(module.i32.const(to));
}

/** @returns the value of an `i32.const`; otherwise undefined */
export function constantOf(expression: Expression): number | undefined {
  const isConstant = binaryen.getExpressionId(expression) === binaryen.ConstId;
  if (!isConstant || binaryen.getExpressionType(expression) !== binaryen.i32) return undefined;
  return (binaryen.getExpressionInfo(expression) as binaryen.ConstInfo).value as number;
}

export function functionOf(module: binaryen.Module, name: string): binaryen.FunctionInfo {
  const found = module.getFunction(name);
  if (!found) throw new Error(`the module has no function ${name}`);
  return binaryen.getFunctionInfo(found);
}

export function setBody(module: binaryen.Module, name: string, body: Expression): void {
  classes.Function!.setBody!(module.getFunction(name), body);
}
