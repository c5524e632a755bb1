// Defines operations as `GET /operations.json` lists them (docs/api.md#api-description). The workbench reads the list by
// these types, so this file imports nothing.

/** The control of a form that suits a parameter. `pages`: a page selection. `code`: a JSON file. `lines`: long text. */
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

/** The parts of JSON Schema (draft 2020-12) that parameters use. */
export interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
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
  /** Schema of one value, as a form sends it. */
  readonly schema: ParameterSchema;
  /** True if it has any number of values. @default false */
  readonly list?: true;
  /** True if several texts join to one value: JSON bodies may have a list of them. @default false */
  readonly joined?: true;
  /** True if the value must not be shown or logged. @default false */
  readonly secret?: true;
  /** True if each of several inputs has one value. @default false */
  readonly perInput?: true;
  /** Values of another parameter with which this one is required. */
  readonly requiredIf?: { readonly field: string; readonly is: readonly string[] };
  /** Parameter for which this one names a stored file. */
  readonly standsFor?: string;
  /** Schema of what JSON contains, and its name if it has one. `isFile`: a form may send a file in place of the text. */
  readonly content?: { readonly name?: string; readonly schema: ParameterSchema; readonly isFile?: true };
}

export interface DescribedInput {
  readonly kind: "none" | "one" | "several" | "text";
  readonly description: string;
  /** `pdf`: other documents become PDFs first. `files`: files of any kind, which are not opened. */
  readonly accepts: "pdf" | "documents" | "files" | "text";
  /** True if the URL of a web page stands for the page. */
  readonly webPages: boolean;
  /** Parameter that holds the text. */
  readonly field?: string;
  /** Parameter with the kind of each input, which sets their order. */
  readonly orderedBy?: string;
}

/** A file beside the input: a part of a form, the id of a stored file, or an address. */
export interface DescribedFile {
  readonly name: string;
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly required: boolean;
}

/** The files that an operation makes, or the data that it answers with. */
export interface DescribedOutput {
  /** `list`: the answer has lists even for one file. */
  readonly naming: "name" | "prefix" | "list";
  /** Media type of each file, or of the data. */
  readonly type: string;
  /** Schemas of the members of an answer that is data. @default the answer names files */
  readonly data?: Readonly<Record<string, ParameterSchema>>;
  /** True if several files can come as one archive. */
  readonly archives: boolean;
  readonly extraFields: readonly ("inputSize" | "substitutedFonts")[];
  /** What the file has in common with the input, so that they can be compared. */
  readonly keeps?: "pages" | "document";
  /** Name of the file of several inputs, without extension. @default that of the first input */
  readonly joinedName?: string;
}

export interface ListedOperation {
  /** Name in programs and commands. */
  readonly verb: string;
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly summary: string;
  readonly variants: readonly ("private" | "keyed")[];
  readonly input: DescribedInput;
  /** Further files. @default none */
  readonly files?: readonly DescribedFile[];
  readonly parameters: readonly DescribedParameter[];
  readonly output: DescribedOutput;
  /** Values of parameters for a first try, by their names in a form; `file` is the name of an input. */
  readonly example: Readonly<Record<string, string | number | readonly string[]>>;
}

/** The operations of a deployment. */
export interface OperationList {
  readonly variant: "private" | "keyed";
  /** True if each POST needs a key. */
  readonly keyed: boolean;
  /** Most inputs of an operation that takes several. */
  readonly maxInputs: number;
  /** Those of both variants, in the order in which they are shown. */
  readonly operations: readonly (ListedOperation & {
    /** Largest file that the operation takes. */
    readonly maxFileBytes: number;
    /** Errors that are about the files, by their anchors in the reference. */
    readonly fileErrors: readonly string[];
  })[];
}
