// Defines a request as the generators of code need it.
import type { Control } from "../../http/contract/operation-list.ts";

export interface Call {
  readonly method: string;
  readonly url: string;
  /** Media type of the answer that is asked for. @default JSON */
  readonly accept?: string;
  /** True if the request carries a key. */
  readonly keyed: boolean;
  readonly files: readonly Entry[];
  /** Text fields of the form, in the order in which they are sent. */
  readonly texts: readonly Entry[];
  /** Name of the file that the answer is saved as. @default the answer is JSON, which is printed */
  readonly saveAs?: string;
  /** True if the answer leads to another one. @default false */
  readonly isRedirect?: boolean;
}

/** A call of an operation, which the command line has as well. */
export interface OperationCall extends Call {
  readonly command: Command;
}

export interface Entry {
  readonly name: string;
  readonly value: string;
}

/** The same for the command line, which names inputs by position. */
export interface Command {
  /** URL of the service, without a slash at the end. */
  readonly baseUrl: string;
  /** Name of the operation. */
  readonly name: string;
  readonly inputs: readonly CallInput[];
  /** A text that is read in place of a file. */
  readonly content?: string;
  /** True if each input has an output of its own, which is named after it. */
  readonly isBatch?: boolean;
  readonly options: readonly Option[];
}

export interface Option extends Entry {
  readonly control: Control;
}

/** An input of a request: a file on the reader's disk, a stored file or an address. */
export interface CallInput {
  readonly kind: "file" | "id" | "url";
  /** File name, id or address. */
  readonly value: string;
  /** Pages of this input, for operations that take one expression for each. */
  readonly pages?: string;
}
