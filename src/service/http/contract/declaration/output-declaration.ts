// Defines the outputs that an endpoint can declare.
import type { JsonSchema } from "../../../../document/contract/parameter.ts";

export type OutputDeclaration =
  /** Files, which are stored or returned as the response body. */
  | {
      readonly kind: "files";
      /**
       * `name`: there is one output. `prefix`: a number is appended to the name of each output, and the response
       * contains lists if there are several outputs. `list`: like `prefix`, but the response contains lists even for
       * one output.
       */
      readonly naming: "name" | "prefix" | "list";
      /** Media type of each output, without parameters. */
      readonly type: string;
      /** Media types that the parameters can choose instead. @default none */
      readonly otherTypes?: readonly string[];
      /** True if a number is appended only if there are several outputs. @default false */
      readonly isPlainIfOne?: boolean;
      /** True if outputs keep the names that the operation chose. @default false */
      readonly keepsNames?: boolean;
      /** True if `output` is optional in forms as well as in JSON bodies. @default false */
      readonly isOptional?: boolean;
      /** Description of `output`. @default {@link DESCRIPTIONS_OF_NAMES} */
      readonly description?: string;
    }
  /**
   * Data, which is the response and is not stored. The operation has one output. If it is a JSON object, its members
   * become members of the response; if it is text, it becomes one member.
   */
  | {
      readonly kind: "data";
      /** `application/json`, or the media type of the text, without parameters. */
      readonly type: string;
      /** Name of the member that contains the text. @default the output is a JSON object */
      readonly member?: string;
      /** Schemas of the members. */
      readonly schema: Readonly<Record<string, JsonSchema>>;
      /** Members that can be missing from a response. @default none */
      readonly optional?: readonly string[];
      /** True if the field `output_type` can request the data as a file. @default false */
      readonly mayBeFile?: boolean;
      /** Media types of other files that the parameter `output_type` of the operation can request. @default none */
      readonly otherTypes?: readonly string[];
    };

export const DESCRIPTIONS_OF_NAMES = {
  name: "Name of the file, without extension.",
  prefix: "Prefix of the files' names, without extension; a number from 1 is appended to each.",
  list: "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name if left out.",
} as const;

/** Returns the properties of outputs on which the available response formats depend. */
export const offersOf = (output: OutputDeclaration) => ({ types: typesOf(output), naming: namingOf(output) });

/** Returns the media types that an output can have. */
export const typesOf = (output: OutputDeclaration): readonly string[] => [
  output.type,
  ...("otherTypes" in output ? (output.otherTypes ?? []) : []),
];

/** Returns the naming of outputs. Data are treated like a single file. */
export const namingOf = (output: OutputDeclaration) => (output.kind === "files" ? output.naming : "name");
