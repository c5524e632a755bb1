// Types of the generated operation schemas that the command line is built from.
import type { FurtherFile } from "../core/pagewright.ts";
import type { OperationName } from "../generated/operations.ts";

/** A JSON schema of one value. */
interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly examples?: readonly string[];
}

export interface ParameterSchema {
  /** As in a JSON body, without brackets. */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: string | number;
  /** `pages`: a page selection. `code`: a JSON file. */
  readonly control:
    | "switch"
    | "choice"
    | "number"
    | "slider"
    | "pages"
    | "color"
    | "password"
    | "code"
    | "lines"
    | "text";
  readonly schema: ValueSchema;
  readonly list?: true;
  readonly joined?: true;
  readonly secret?: true;
  /** Values of another parameter with which this one is required. */
  readonly requiredIf?: { readonly field: string; readonly is: readonly string[] };
  /** Parameter whose value this one replaces by the ID of a stored file. */
  readonly standsFor?: string;
  /** Value that the command sends if the user omits a required parameter. */
  readonly example?: string;
}

/** A further input file. */
export interface FileSchema extends FurtherFile {
  readonly accepts: OperationSchema["input"]["accepts"];
  readonly description: string;
  readonly required: boolean;
  /** A parameter, or another file, of which exactly one is required: this file or that. */
  readonly insteadOf?: string;
}

export interface OperationSchema {
  readonly name: OperationName;
  readonly path: string;
  readonly summary: string;
  readonly variants: readonly string[];
  readonly input: {
    readonly kind: "none" | "one" | "several" | "text";
    readonly description: string;
    /** `pdf`: other documents are converted first. */
    readonly accepts: "pdf" | "documents" | "files" | "text";
    /** True if each of several inputs has a page selection. */
    readonly selectable: boolean;
  };
  /** Further input files. */
  readonly files: readonly FileSchema[];
  readonly output: {
    /** Media type of each file. */
    readonly type: string;
    /** True if several files are possible, which one archive can contain. */
    readonly archives: boolean;
    /** True if the response is data, not a file. */
    readonly isData?: true;
    /** Name of the output of several inputs, without extension. */
    readonly joinedName?: string;
  };
  readonly parameters: readonly ParameterSchema[];
}
