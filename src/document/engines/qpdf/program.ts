// Declares the interface of qpdf's module: its exports, its callbacks, and its exit.

/** The module's exports by purpose. The letters belong to the build that wasm/qpdf/build.ts produces. */
export interface QpdfExports {
  readonly aa: WebAssembly.Memory;
  /** Runs the constructors. */
  readonly ba: () => void;
  /** The program's main(). */
  readonly ca: (count: number, values: number) => number;
  readonly da: WebAssembly.Table;
  readonly fa: (thrown: number, value: number) => void;
  readonly ga: (value: number) => void;
  readonly ha: (stackPointer: number) => void;
  /** Reserves space on the stack. */
  readonly ia: (bytes: number) => number;
  readonly ja: () => number;
  readonly ka: (object: number) => void;
  readonly la: (object: number) => void;
  readonly ma: (caught: number, thrown: number, adjusted: number) => number;
  readonly na: (object: number) => number;
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
