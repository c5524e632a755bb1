// Defines the outputs that an endpoint can declare.
import type { JsonSchema } from "../../../../document/contract/parameter.ts";

export type OutputDeclaration =
  /** Files, which are stored or returned as the response body. */
  | {
      readonly kind: "files";
      /**
       * `prefix`: a number is appended to the name of each output, and the response holds lists if there are several
       * outputs. `list`: the response holds lists even for one output.
       */
      readonly naming: "name" | "prefix" | "list";
      /** Media type of each output, without parameters. */
      readonly type: string;
      /** True if `output` is optional in forms, too, not only in JSON bodies. @default false */
      readonly isOptional?: boolean;
      /** Description of `output`. @default {@link DESCRIPTIONS_OF_NAMES} */
      readonly description?: string;
    }
  /**
   * Data, returned as the response and not stored. The operation has one output: a JSON object, whose members become
   * members of the response, or text, which becomes one member.
   */
  | {
      readonly kind: "data";
      /** `application/json`, or the media type of the text, without parameters. */
      readonly type: string;
      /** Name of the member that contains the text. @default the output is an object */
      readonly member?: string;
      /** Schemas of the members. */
      readonly schema: Readonly<Record<string, JsonSchema>>;
      /** Members that a response may lack. @default none */
      readonly optional?: readonly string[];
      /** True if clients can request a file with the data by `output_type`. @default false */
      readonly mayBeFile?: boolean;
    };

export const DESCRIPTIONS_OF_NAMES = {
  name: "Name of the file, without extension.",
  prefix: "Prefix of the files' names, without extension; a number from 1 is appended to each.",
  list: "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name if left out.",
} as const;

/** Returns the media type and naming of outputs, which determine the available response formats. */
export const offersOf = (output: OutputDeclaration) => ({ type: output.type, naming: namingOf(output) });

/** Returns the naming of outputs, as far as it affects the response format. */
export const namingOf = (output: OutputDeclaration) => (output.kind === "files" ? output.naming : "name");
