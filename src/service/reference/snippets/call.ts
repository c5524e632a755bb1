// Defines the input of the snippet generators: a request.
import type { Control } from "../../http/contract/operation-list.ts";

export interface Call {
  readonly method: string;
  readonly url: string;
  /** Media type of the requested response. @default JSON */
  readonly accept?: string;
  /** True if the request contains an API key. */
  readonly keyed: boolean;
  readonly files: readonly Entry[];
  /** Text fields of the form, in the order in which they are sent. */
  readonly texts: readonly Entry[];
  /** File name for saving the response. @default the response is JSON, and is printed */
  readonly saveAs?: string;
  /** True if the response is a redirect. @default false */
  readonly isRedirect?: boolean;
}

/** A request that runs an operation, with the equivalent command of the command line client. */
export interface OperationCall extends Call {
  readonly command: Command;
}

export interface Entry {
  readonly name: string;
  readonly value: string;
  /** Environment variable that contains the value, which is a secret. `value` is then empty. @default none */
  readonly variable?: string;
}

/** The request as a command of the command line client, whose inputs are positional arguments. */
export interface Command {
  /** URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Name of the operation. */
  readonly name: string;
  readonly inputs: readonly CallInput[];
  /** Text to process, for operations without input files. */
  readonly content?: string;
  /** True if each input has a separate job, whose output is named after the input. */
  readonly isBatch?: boolean;
  readonly options: readonly Option[];
}

export interface Option extends Entry {
  readonly control: Control;
}

/** An input of a request: a local file, a stored file, or a URL. */
export interface CallInput {
  readonly kind: "file" | "id" | "url";
  /** File name, ID or URL. */
  readonly value: string;
  /** Page selection of this input, if the operation has one page selection per input. */
  readonly pages?: string;
}
