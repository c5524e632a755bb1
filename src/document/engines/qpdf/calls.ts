// Wrappers through which qpdf's module calls functions that can throw. They record a C++ exception in the module's
// state, and rethrow any other error.
import type { QpdfExports } from "./program.ts";

type Callee = (...values: number[]) => unknown;

/**
 * Returns the wrappers that the module imports. They run millions of times, mostly with few arguments, so each number
 * of arguments has a separate function.
 */
export function callImports(exports: () => QpdfExports): WebAssembly.ModuleImports {
  const functions: Callee[] = [];
  const callee = (index: number) => {
    functions[index] ??= exports().functions.get(index) as Callee;
    return functions[index];
  };
  const stackPointer = () => exports().stackPointer();
  const none = (index: number) => {
    const stack = stackPointer();
    try {
      return callee(index)();
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  const one = (index: number, a: number) => {
    const stack = stackPointer();
    try {
      return callee(index)(a);
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  const two = (index: number, a: number, b: number) => {
    const stack = stackPointer();
    try {
      return callee(index)(a, b);
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  const three = (index: number, a: number, b: number, c: number) => {
    const stack = stackPointer();
    try {
      return callee(index)(a, b, c);
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  const four = (index: number, a: number, b: number, c: number, d: number) => {
    const stack = stackPointer();
    try {
      return callee(index)(a, b, c, d);
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  const more = (index: number, ...values: number[]) => {
    const stack = stackPointer();
    try {
      return callee(index)(...values);
    } catch (thrown) {
      unwind(exports(), thrown, stack);
    }
  };
  // The module has one wrapper for each combination of argument types, but only the number of arguments matters here.
  const few = { i: none, b: one, e: one, G: two, c: two, I: two, f: two, h: three, k: three, m: four, l: four };
  return { ...few, ...Object.fromEntries([..."JzpxvyLrsu"].map((name) => [name, more])) };
}

/** Restores the stack and records a C++ exception, which is thrown as a number. */
function unwind({ restoreStack, setThrew }: QpdfExports, thrown: unknown, stack: number): void {
  restoreStack(stack);
  if (typeof thrown !== "number") throw thrown;
  setThrew(1, 0);
}
