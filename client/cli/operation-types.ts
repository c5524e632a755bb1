// Types of the generated operation schemas that the command line is built from.
import type { FurtherFile } from "../core/pagewright.ts";
import type {
  DescribedFile,
  DescribedInput,
  DescribedOutput,
  DescribedParameter,
  ListedOperation,
} from "../generated/operation-list.ts";
import type { OperationName } from "../generated/operations.ts";

/** A parameter as in a JSON body. */
export interface ParameterSchema extends Omit<DescribedParameter, "content"> {
  /** Value that the command sends if the user omits a required parameter. */
  readonly example?: string;
}

/** A further input file. */
export type FileSchema = FurtherFile & Pick<DescribedFile, "accepts" | "description" | "required" | "insteadOf">;

export interface OperationSchema extends Pick<ListedOperation, "path" | "summary" | "variants"> {
  readonly name: OperationName;
  /** `selectable`: each of several inputs has a page selection. */
  readonly input: Pick<DescribedInput, "kind" | "description" | "accepts"> & { readonly selectable: boolean };
  /** Further input files. */
  readonly files: readonly FileSchema[];
  /** `isData`: the response is data, not a file. */
  readonly output: Pick<DescribedOutput, "type" | "archives" | "joinedName"> & { readonly isData?: true };
  readonly parameters: readonly ParameterSchema[];
}
