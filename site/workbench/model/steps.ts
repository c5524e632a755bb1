// The operation that runs several others as steps, and the list of steps that the visitor arranges for it.

import { typeName } from "../../../src/document/contract/type-names.ts";
import { wrongType } from "../../../src/service/http/contract/errors.ts";
import { type Operation, pathOf, type ServiceDescription, takesFiles } from "./operations.ts";

export const STEPS_PATH = "/steps";

/** The field with the list of steps. */
export const STEPS_FIELD = "steps";

/** Returns the operations of the service that can be a step. */
export function possibleSteps({ operations }: ServiceDescription): readonly Operation[] {
  const field = operations.get(STEPS_PATH)?.fields.find(({ name }) => name === STEPS_FIELD);
  const names = new Set(Object.keys(field?.content?.schema.items?.properties ?? {}));
  return [...operations.values()].filter((operation) => takesFiles(operation) && names.has(nameOf(operation)));
}

/** Returns the name of an operation in a list of steps. */
export const nameOf = ({ path }: Pick<Operation, "path">): string => path.slice(1);

/** The choice of an operation, in the state of the page. */
interface Choice {
  readonly service?: ServiceDescription;
  readonly path: string;
  /** Forms of the steps. */
  readonly steps: readonly string[];
}

/** Returns the chosen operation. If it runs several steps, its form is arranged for the steps in the list. */
export function chosenOperation(state: Choice): Operation | undefined {
  const operation = state.service?.operations.get(state.path);
  if (!operation || state.path !== STEPS_PATH) return operation;
  const steps = state.steps.flatMap((form) => {
    const one = state.service?.operations.get(pathOf(form));
    return one ? asStep(one, form) : [];
  });
  const { accepts, webPages } = steps[0]?.input ?? { ...operation.input, webPages: false };
  return {
    ...operation,
    steps,
    input: { ...operation.input, accepts, webPages: webPages && operation.input.webPages },
    // Each step has its own files, and its own fields instead of their JSON.
    files: [],
    fields: operation.fields.filter(({ name }) => name !== STEPS_FIELD),
  };
}

/** The outputs of a step are not stored, so they have no name. A selection of each input's pages is only for inputs. */
function asStep({ perInput: _, ...operation }: Operation, form: string): Operation {
  return { ...operation, form, fields: operation.fields.filter(({ name }) => name !== "output") };
}

/** Returns the operation whose input is the input of the request: the first step, if there are steps. */
export const firstOf = (operation: Operation): Operation => operation.steps?.[0] ?? operation;

const STEP_NUMBER = /The error is in step (\d+), [\w-]+\.$/;

/** Returns the step that an error message of the service names. */
export function stepNamedIn(sentence: string, { steps }: Operation): Operation | undefined {
  const [, number] = STEP_NUMBER.exec(sentence) ?? [];
  return steps?.[Number(number) - 1];
}

/**
 * Returns the error message with which the service would reject a step that can take nothing of what the step before
 * makes. Returns undefined if the declarations do not exclude it.
 */
export function mismatchAt(steps: readonly Operation[], index: number): string | undefined {
  const [before, step] = [steps[index - 1], steps[index]!];
  if (!before) return undefined;
  const { type, otherTypes = [] } = before.output;
  if ([type, ...otherTypes].some((made) => takes(step, made))) return undefined;
  const why = `Step ${index} makes ${typeName(type)}; ${nameOf(step)} takes ${step.input.description}.`;
  return wrongType(why).inStep(index, step.path).message;
}

const PDF = "application/pdf";
const UNKNOWN = "application/octet-stream";

function takes({ input: { accepts, webPages } }: Operation, type: string): boolean {
  if (accepts === "pdf") return [PDF, UNKNOWN].includes(type);
  // The conversion to PDF takes no PDF.
  return !(webPages && type === PDF);
}
