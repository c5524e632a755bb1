// Derives the form of each operation from the service's description.
import type {
  DescribedParameter,
  ListedOperation,
  OperationList,
} from "../../../src/service/http/contract/operation-list.ts";

export type Schema = DescribedParameter["schema"];

/** A parameter. Its name is the spelling in forms, with brackets if the parameter is repeatable. */
export type FormField = DescribedParameter;

export interface Operation extends Omit<OperationList["operations"][number], "parameters"> {
  /**
   * Identifies the form of the operation: its path, or for a step of a list the number of the step and the path, such
   * as `2/png`.
   */
  readonly form: string;
  /** The operations that the visitor has arranged as steps. Set for the chosen operation that runs several. */
  readonly steps?: readonly Operation[];
  /**
   * All fields of the form. If the input of the operation is a text, it is the first field. Parameters with one value
   * per input are not included.
   */
  readonly fields: readonly FormField[];
  /** The parameter with one value per input, such as a page selection. */
  readonly perInput?: FormField;
  /** The parameter that lists the kind of each input (`id` or `url`), in the order of inputs. */
  readonly orderedBy?: string;
}

export interface ServiceDescription extends Pick<OperationList, "keyed" | "maxInputs"> {
  /** The operations of both variants, by path. */
  readonly all: ReadonlyMap<string, Operation>;
  /** The operations that this service supports, by path. */
  readonly operations: ReadonlyMap<string, Operation>;
}

export function readService({ variant, keyed, maxInputs, operations }: OperationList): ServiceDescription {
  const all = operations.map(arrange);
  const byPath = (some: readonly Operation[]) => new Map(some.map((one) => [one.path, one]));
  return {
    keyed,
    maxInputs,
    all: byPath(all),
    operations: byPath(all.filter(({ variants }) => variants.includes(variant))),
  };
}

function arrange({ parameters, ...operation }: OperationList["operations"][number]): Operation {
  const fields = parameters.map((one) => (one.list ? { ...one, name: `${one.name}[]` } : one));
  const { orderedBy } = operation.input;
  const perInput = fields.find((field) => field.perInput);
  return {
    ...operation,
    form: operation.path,
    fields: [
      ...textField(operation.input),
      ...fields.filter((field) => field !== perInput && field.name !== "output_url"),
    ],
    ...(perInput ? { perInput } : {}),
    ...(orderedBy === undefined ? {} : { orderedBy: `${orderedBy}[]` }),
  };
}

/** Returns the path of the operation to which a form belongs. */
export const pathOf = (form: string): string => form.slice(form.indexOf("/"));

/** Identifies a field on the page: its name, or for a field of a step the number of the step and the name. */
export const placeOf = ({ form, path }: Operation, { name }: Pick<FormField, "name">): string =>
  form === path ? name : `${form.slice(0, -path.length)}/${name}`;

/** Reports whether an operation has input files. Otherwise, its input is a text, or it has no input. */
export const takesFiles = ({ input: { kind } }: Pick<Operation, "input">): boolean =>
  kind === "one" || kind === "several";

const textField = ({ field, description }: ListedOperation["input"]): readonly FormField[] =>
  field === undefined ? [] : [{ name: field, description, required: true, control: "lines", schema: {} }];
