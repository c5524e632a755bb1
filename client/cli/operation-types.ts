// Types of the generated operation schemas, from which the command line derives its commands.
import type { FurtherFile } from "../core/pagewright.ts";
import type {
  DescribedFile,
  DescribedInput,
  DescribedOutput,
  DescribedParameter,
  ListedOperation,
} from "../generated/operation-list.ts";
import type { OperationName } from "../generated/operations.ts";

/** A parameter of a JSON body. */
export interface ParameterSchema extends Omit<DescribedParameter, "content"> {
  /** Value of a required parameter that the command sends if the user omits it. */
  readonly example?: string;
}

/** A further input file. */
export type FileSchema = FurtherFile & Pick<DescribedFile, "accepts" | "description" | "required" | "insteadOf">;

export interface OperationSchema extends Pick<ListedOperation, "path" | "summary" | "variants"> {
  readonly name: OperationName;
  /** `selectable`: there can be a page selection for each input. */
  readonly input: Pick<DescribedInput, "kind" | "description" | "accepts"> & { readonly selectable: boolean };
  /** Further input files. */
  readonly files: readonly FileSchema[];
  /** `isData`: the output is data, not a file. `hasNames`: the outputs have names of their own. */
  readonly output: Pick<DescribedOutput, "type" | "archives" | "joinedName"> & {
    readonly isData?: true;
    readonly hasNames?: true;
  };
  readonly parameters: readonly ParameterSchema[];
}
