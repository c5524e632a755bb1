// Declares the interface of qpdf's module: its exports, its callbacks, and its exit.

/** The module's exports by purpose; names.ts has their letters. */
export interface QpdfExports {
  readonly memory: WebAssembly.Memory;
  /** Runs the constructors of static objects. */
  readonly callConstructors: () => void;
  /** The program's main(). */
  readonly main: (count: number, values: number) => number;
  /** The functions that the module calls by index. */
  readonly functions: WebAssembly.Table;
  /** Records that a call has thrown. */
  readonly setThrew: (threw: number, value: number) => void;
  /** Sets the second result of a call. */
  readonly setResult: (value: number) => void;
  readonly restoreStack: (stackPointer: number) => void;
  /** @returns the address of a block on the stack */
  readonly allocateOnStack: (bytes: number) => number;
  readonly stackPointer: () => number;
  /** Removes a reference to a C++ exception object. Removing the last one deletes the object. */
  readonly decrementReferences: (object: number) => void;
  readonly incrementReferences: (object: number) => void;
  /** Reports whether a handler of one type catches an object of another type. */
  readonly canCatch: (caught: number, thrown: number, adjusted: number) => number;
  /** @returns the address that the handler receives */
  readonly exceptionPointer: (object: number) => number;
  /** The fuel counter of the metered module. */
  readonly fuel: { value: number };
}

export interface SystemOptions {
  readonly input: Uint8Array;
  /** Receives consecutive bytes of the output file, valid during the call. */
  output(chunk: Uint8Array): void;
  /** Receives standard output, valid during the call. */
  print(chunk: Uint8Array): void;
  /** Receives standard error, valid during the call. */
  complain(chunk: Uint8Array): void;
  /** Returns whether the memory can grow to a size in bytes. */
  mayGrow(bytes: number): boolean;
  /** Called after each read of the document. */
  worked(): void;
}

/** Thrown to leave the module when the program exits. */
export class ProgramEnd extends Error {
  override readonly name = "ProgramEnd";
  readonly status: number;
  constructor(status: number) {
    super(`ended with ${status}`);
    this.status = status;
  }
}
