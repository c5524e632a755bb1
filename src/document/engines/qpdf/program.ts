// Declares the interface of qpdf's module: its exports, its callbacks, and its end. Knows nothing about how it is
// called.

/** The module's exports by purpose. Their letters belong to the one build that wasm/qpdf/build.ts accepts. */
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
  /** Receives the output file's bytes, in order; valid during the call. */
  output(chunk: Uint8Array): void;
  /** Receives standard output; valid during the call. */
  print(chunk: Uint8Array): void;
  /** Receives standard error; valid during the call. */
  complain(chunk: Uint8Array): void;
  /** Reports whether memory may grow to that size. */
  mayGrow(bytes: number): boolean;
  /** Called whenever the document is read. */
  worked(): void;
}

/** Thrown to leave the module when the program ends. */
export class ProgramEnd extends Error {
  override readonly name = "ProgramEnd";
  readonly status: number;
  constructor(status: number) {
    super(`ended with ${status}`);
    this.status = status;
  }
}
