// Defines the outputs that an endpoint can declare.
import type { JsonSchema } from "../../../../document/contract/parameter.ts";

export type OutputDeclaration =
  /** Files, which are stored, or the answer itself. */
  | {
      readonly kind: "files";
      /**
       * `prefix`: a number is appended to the name of each output, and the response holds lists if there are several
       * outputs. `list`: the response holds lists even for one output.
       */
      readonly naming: "name" | "prefix" | "list";
      /** Media type of each output, without parameters. */
      readonly type: string;
      /** True if forms may leave out `output`, as JSON bodies may. @default false */
      readonly isOptional?: boolean;
      /** Description of `output`. @default {@link DESCRIPTIONS_OF_NAMES} */
      readonly description?: string;
    }
  /**
   * Data, which are the answer and are not stored. The operation has one output: an object in JSON, whose members are
   * those of the answer, or a text, which is one member.
   */
  | {
      readonly kind: "data";
      /** `application/json`, or the media type of the text, without parameters. */
      readonly type: string;
      /** Name of the member that is the text. @default the members are those of the output */
      readonly member?: string;
      /** Schemas of the members. */
      readonly schema: Readonly<Record<string, JsonSchema>>;
      /** True if clients may ask for a file that has the data instead, by `output_type`. @default false */
      readonly mayBeFile?: boolean;
    };

export const DESCRIPTIONS_OF_NAMES = {
  name: "Name of the file, without extension.",
  prefix: "Prefix of the files' names, without extension; a number from 1 is appended to each.",
  list: "Prefix of the files' names, without extension; a number from 1 is appended to each. The input's name if left out.",
} as const;

/** Returns the media type and the naming of outputs, on which the forms of an answer depend. */
export const offersOf = (output: OutputDeclaration) => ({ type: output.type, naming: namingOf(output) });

/** Returns the naming of outputs as far as it matters to the form of an answer. */
export const namingOf = (output: OutputDeclaration) => (output.kind === "files" ? output.naming : "name");
