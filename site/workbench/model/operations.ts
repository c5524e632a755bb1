// Derives the forms of operations from the description of the service.
import type {
  DescribedParameter,
  ListedOperation,
  OperationList,
} from "../../../src/service/http/contract/operation-list.ts";

export type Schema = DescribedParameter["schema"];

/** A parameter and its form name, which has brackets if it can be repeated. */
export type FormField = DescribedParameter;

export interface Operation extends Omit<OperationList["operations"][number], "parameters"> {
  /** All fields of the form, including a text that is the input, without values of single inputs. */
  readonly fields: readonly FormField[];
  /** The parameter that has one value per input, such as page selections. */
  readonly perInput?: FormField;
  /** The parameter with the kind of each input, in input order. */
  readonly orderedBy?: string;
}

export interface ServiceDescription extends Pick<OperationList, "keyed" | "maxInputs"> {
  /** Operations of both variants, by path. */
  readonly all: ReadonlyMap<string, Operation>;
  /** Operations that this service has. */
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
