// What qpdf's module offers, what it is given, and how it ends. Knows nothing of how it is called.

/** The module's exports by what they are; the letters belong to the one build that wasm/qpdf/build.ts accepts. */
export interface QpdfExports {
  readonly aa: WebAssembly.Memory;
  /** Constructors. */
  readonly ba: () => void;
  /** main() */
  readonly ca: (count: number, values: number) => number;
  readonly da: WebAssembly.Table;
  readonly fa: (thrown: number, value: number) => void;
  readonly ga: (value: number) => void;
  readonly ha: (stackPointer: number) => void;
  /** Takes room on the stack. */
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
  /** What is written to the output, in its order; valid during the call. */
  output(chunk: Uint8Array): void;
  /** What is written to standard output; valid during the call. */
  print(chunk: Uint8Array): void;
  /** What is written to standard error; valid during the call. */
  complain(chunk: Uint8Array): void;
  /** Whether memory may grow to so many bytes. */
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
