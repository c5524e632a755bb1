// Defines the operations in `GET /operations.json` (docs/api.md#api-description). The workbench imports these types, and
// the client contains a copy of this file, so it has no imports.

/** The form control for a parameter. `pages`: a page selection. `code`: a JSON file. `lines`: long text. */
export type Control =
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

/** The subset of JSON Schema (draft 2020-12) that parameters use. */
export interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly examples?: readonly string[];
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly items?: ParameterSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly ParameterSchema[];
}

export interface DescribedParameter {
  /** Without brackets. */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: string | number;
  readonly control: Control;
  /** Schema of one value in a form. */
  readonly schema: ParameterSchema;
  /** True if the parameter is repeatable. @default false */
  readonly list?: true;
  /** True if a value is a comma-separated list, for which JSON bodies can contain an array. @default false */
  readonly joined?: true;
  /** True if the value must never be displayed or logged. @default false */
  readonly secret?: true;
  /** True if each of several inputs has one value. @default false */
  readonly perInput?: true;
  /** Values of another parameter with which this one is required. */
  readonly requiredIf?: { readonly field: string; readonly is: readonly string[] };
  /** The parameter that a stored file, named by this one, replaces. */
  readonly standsFor?: string;
  /** Schema of the JSON value, and its name if it has one. `isFile`: a form may send it as a file. */
  readonly content?: { readonly name?: string; readonly schema: ParameterSchema; readonly isFile?: true };
}

export interface DescribedInput {
  readonly kind: "none" | "one" | "several" | "text";
  readonly description: string;
  /** `pdf`: clients convert other documents to PDF first. `files`: files of any type, which are not opened. */
  readonly accepts: "pdf" | "documents" | "files" | "text";
  /** True if the URL of a web page stands for the page. */
  readonly webPages: boolean;
  /** Parameter that contains the text. */
  readonly field?: string;
  /** Parameter with the kind of each input, which determines their order. */
  readonly orderedBy?: string;
}

/** An additional file: a form part, the ID of a stored file, or a URL. */
export interface DescribedFile {
  readonly name: string;
  /** `files`: files of any type. */
  readonly accepts: DescribedInput["accepts"];
  /** Name of the parameter with an ID, without brackets. */
  readonly id: string;
  /** Name of the parameter with a URL, without brackets. */
  readonly url: string;
  readonly description: string;
  readonly required: boolean;
  /** True if there can be several files, IDs and URLs. @default false */
  readonly list?: true;
  /** A parameter, or another file, of which exactly one is required: this file or that. */
  readonly insteadOf?: string;
}

/** The output files of an operation, or its response data. */
export interface DescribedOutput {
  /** `list`: the response contains lists even for one file. */
  readonly naming: "name" | "prefix" | "list";
  /** Media type of each file, or of the data. */
  readonly type: string;
  /** Schemas of the members of a data response. @default the response contains file IDs */
  readonly data?: Readonly<Record<string, ParameterSchema>>;
  /** Members that a response may lack. @default none */
  readonly optionalData?: readonly string[];
  /** True if several files can be returned as one archive. */
  readonly archives: boolean;
  readonly extraFields: readonly ("inputSize" | "substitutedFonts")[];
  /** The property that output and input share, which makes them comparable. */
  readonly keeps?: "pages" | "document";
  /** Name of the output of several inputs, without extension. @default the name of the first input */
  readonly joinedName?: string;
}

export interface ListedOperation {
  /** Name for functions and commands. */
  readonly verb: string;
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly summary: string;
  readonly variants: readonly ("private" | "keyed")[];
  readonly input: DescribedInput;
  /** Further files. */
  readonly files: readonly DescribedFile[];
  readonly parameters: readonly DescribedParameter[];
  readonly output: DescribedOutput;
  /** Parameter values for a first try, by form spelling; `file` and further files have names of files. */
  readonly example: Readonly<Record<string, string | number | readonly string[]>>;
}

/** The operations of a deployment. */
export interface OperationList {
  readonly variant: "private" | "keyed";
  /** True if each POST needs a key. */
  readonly keyed: boolean;
  /** Maximum number of inputs of an operation with several inputs. */
  readonly maxInputs: number;
  /** The operations of both variants, in display order. */
  readonly operations: readonly (ListedOperation & {
    /** Maximum file size of the operation, in bytes. */
    readonly maxFileBytes: number;
    /** File-related errors, by their anchors in the reference. */
    readonly fileErrors: readonly string[];
  })[];
}
