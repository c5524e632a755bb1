// Arranges the operations of the service for forms. Knows nothing about the page.
import type {
  DescribedParameter,
  ListedOperation,
  OperationList,
} from "../../../src/service/http/contract/operation-list.ts";

export type Schema = DescribedParameter["schema"];

/** A parameter by its name in a form, with brackets if it may be repeated. */
export type FormField = DescribedParameter;

export interface Operation extends Omit<OperationList["operations"][number], "parameters"> {
  /** All that a form has: also the text that is the input, but no values of single inputs. */
  readonly fields: readonly FormField[];
  /** List with one value for each input. */
  readonly perInput?: FormField;
  /** List with the kind of each input, which sets their order. */
  readonly orderedBy?: string;
}

export interface ServiceDescription extends Pick<OperationList, "keyed" | "maxInputs"> {
  /** Those of both variants, by path. */
  readonly all: ReadonlyMap<string, Operation>;
  /** Those that the service has. */
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
    fields: [...textField(operation.input), ...fields.filter((field) => field !== perInput)],
    ...(perInput ? { perInput } : {}),
    ...(orderedBy === undefined ? {} : { orderedBy: `${orderedBy}[]` }),
  };
}

/** Reports whether an operation takes files: it may make its output of a text, or of its options alone. */
export const takesFiles = ({ input: { kind } }: Pick<Operation, "input">): boolean =>
  kind === "one" || kind === "several";

const textField = ({ field, description }: ListedOperation["input"]): readonly FormField[] =>
  field === undefined ? [] : [{ name: field, description, required: true, control: "lines", schema: {} }];
