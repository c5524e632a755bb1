// Defines what the command line and agents know of each operation (src/service/http/mcp/tools.ts).
import type { OperationName } from "../core/operations.ts";

/** A JSON schema of one parameter. */
export interface DeclaredSchema {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  readonly examples?: readonly string[];
  readonly items?: DeclaredSchema;
}

export interface DeclaredParameter {
  /** As in a JSON body, without brackets. */
  readonly name: string;
  readonly required: boolean;
  /** `selection`: a page selection or a list of page numbers. `json`: a JSON object. `value`: as in the schema. */
  readonly kind: "value" | "selection" | "json";
  readonly schema: DeclaredSchema;
}

export interface DeclaredOperation {
  readonly name: OperationName;
  readonly path: string;
  readonly summary: string;
  readonly variants: readonly string[];
  readonly input: {
    readonly kind: "one" | "several" | "text";
    readonly description: string;
    /** True if each of several inputs has a page selection. */
    readonly selectable: boolean;
    /** True if the operation takes PDFs only. */
    readonly pdfOnly: boolean;
  };
  /** False: the operation makes one output. */
  readonly makesSeveral: boolean;
  /** Media type of each output. */
  readonly produces: string;
  readonly parameters: readonly DeclaredParameter[];
}
