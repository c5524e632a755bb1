// Defines the response of `GET /operations.json` (docs/api.md#api-description). This file has no imports, because the
// workbench imports it, and the client contains a copy of it.

/**
 * The form control for a parameter. `pages`: a page selection. `listed-pages`: a page selection that can also be `all`,
 * `even` or `odd`. `code`: JSON. `file`: the content of a file. `lines`: long text.
 */
export type Control =
  | "switch"
  | "choice"
  | "number"
  | "slider"
  | "pages"
  | "listed-pages"
  | "color"
  | "password"
  | "code"
  | "file"
  | "lines"
  | "text";

/** The subset of JSON Schema (draft 2020-12) that parameters use. */
export interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly writeOnly?: boolean;
  readonly contentMediaType?: string;
  readonly examples?: readonly string[];
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly items?: ParameterSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly ParameterSchema[];
  readonly oneOf?: readonly ParameterSchema[];
}

export interface DescribedParameter {
  /** Name without brackets. */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: string | number;
  readonly control: Control;
  /** Schema of one value in a form. */
  readonly schema: ParameterSchema;
  /** True if the parameter is repeatable. @default false */
  readonly list?: true;
  /** True if a value is a comma-separated list. A JSON body can contain an array instead. @default false */
  readonly joined?: true;
  /** Words that a comma-separated list can contain. @default the elements of the list are not words */
  readonly words?: readonly string[];
  /** True if the value must never be displayed or logged. @default false */
  readonly secret?: true;
  /** True if the parameter ends; its description says when. @default false */
  readonly deprecated?: true;
  /** True if the parameter is a list with one value per input. @default false */
  readonly perInput?: true;
  /** The parameter is required if the parameter `field` has one of the values `is`. */
  readonly requiredIf?: { readonly field: string; readonly is: readonly string[] };
  /**
   * Name of another parameter, if this parameter is another name of it, or the ID of a stored file that contains its
   * value.
   */
  readonly standsFor?: string;
  /** Schema of a JSON value, and a name for it. `isFile`: a form can contain the value as a file. */
  readonly content?: { readonly name?: string; readonly schema: ParameterSchema; readonly isFile?: true };
}

export interface DescribedInput {
  readonly kind: "none" | "one" | "several" | "text";
  readonly description: string;
  /** `pdf`: clients convert other documents to PDF first. `files`: files of any type, which are not opened. */
  readonly accepts: "pdf" | "documents" | "files" | "text";
  /** True if the operation itself converts documents that are no PDFs. @default false */
  readonly converts?: true;
  /** True if a URL can refer to a web page. */
  readonly webPages: boolean;
  /** Parameter that contains the text. */
  readonly field?: string;
  /** Parameter that lists the kind of each input (`file`, `id` or `url`), and so determines the order of inputs. */
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
  /** True if responses have only the ID of the main input. @default the IDs of all inputs */
  readonly unlisted?: true;
  /** Name of an alternative parameter or file: exactly one of the two is required. */
  readonly insteadOf?: string;
}

/** The output files of an operation, or its response data. */
export interface DescribedOutput {
  /** `list`: the response contains lists even for one file. */
  readonly naming: "name" | "prefix" | "list";
  /** Media type of each file, or of the data. */
  readonly type: string;
  /** Media types that the parameters can choose instead. @default none */
  readonly otherTypes?: readonly string[];
  /** Schemas of the members of a data response. @default the response contains file IDs */
  readonly data?: Readonly<Record<string, ParameterSchema>>;
  /** Members that can be missing from a response. @default none */
  readonly optionalData?: readonly string[];
  /** True if the parameter `output_type` can request the data as a file. @default false */
  readonly mayBeFile?: true;
  /** True if several files can be returned as one archive. */
  readonly archives: boolean;
  readonly extraFields: readonly ("inputSize" | "substitutedFonts" | "files" | "warning")[];
  /**
   * The properties of the input that the output keeps: `pages`, or with `document` also the document type. Such an
   * output can be compared with the input.
   */
  readonly keeps?: "pages" | "document";
  /** Name of the output if there are several inputs, without extension. @default the name of the first input */
  readonly joinedName?: string;
}

export interface ListedOperation {
  /** Name of the client function and of the command. */
  readonly verb: string;
  readonly path: string;
  readonly title: string;
  readonly group: string;
  readonly summary: string;
  /** True if the operation ends; its summary says when. @default false */
  readonly deprecated?: true;
  readonly variants: readonly ("private" | "keyed")[];
  readonly input: DescribedInput;
  /** Further files. */
  readonly files: readonly DescribedFile[];
  readonly parameters: readonly DescribedParameter[];
  readonly output: DescribedOutput;
  /**
   * Parameter values for a first request, by form spelling. The value of `file` or of a further file is a file name.
   */
  readonly example: Readonly<Record<string, string | number | readonly string[]>>;
}

/** The operations of a deployment. */
export interface OperationList {
  readonly variant: "private" | "keyed";
  /** True if each POST needs a key. */
  readonly keyed: boolean;
  /** Maximum number of inputs of an operation with several inputs. */
  readonly maxInputs: number;
  /** All operations, including those of the other variant, in display order. */
  readonly operations: readonly (ListedOperation & {
    /** Maximum file size of the operation, in bytes. */
    readonly maxFileBytes: number;
    /** Errors about the input file, each as its anchor in the reference. */
    readonly fileErrors: readonly string[];
  })[];
}
