// Validates a form before a request is sent. Finds unusable files, empty required fields, and values out of range.
import { eitherRequired, fieldRequired, passwordProtected } from "../../../src/service/http/contract/errors.ts";
import type { DescribedFile } from "../../../src/service/http/contract/operation-list.ts";
import { errorAnchor } from "../../../src/service/http/responses/help.ts";
import { checkValue, isBlank } from "../model/checks.ts";
import { countText } from "../model/format.ts";
import { type FormField, type Operation, placeOf, takesFiles } from "../model/operations.ts";
import type { Problem } from "../model/problems.ts";
import { faultsOfJson } from "../model/profile.ts";
import type { Input, State } from "../model/state.ts";
import { firstOf, mismatchAt } from "../model/steps.ts";
import { filesIn, inputsOf, isBatch, isNeeded, shownFields, shownValue, stateOfStep } from "./request.ts";

/** A validation error of the form. */
export interface Fault {
  /** ID of the control in the document. */
  readonly control: string;
  readonly name: string;
  /** Error message, as the service would send it. */
  readonly sentence: string;
  /** True if a required field is empty. */
  readonly isMissing: boolean;
}

export const controlOf = (operation: Operation, field: Pick<FormField, "name">): string =>
  `field-${placeOf(operation, field).replace("/", "-").replace("[]", "")}`;
export const stepControlOf = ({ form }: Operation): string => `step-${form.replace("/", "-")}`;
export const pagesControlOf = ({ key }: Input): string => `pages-${key}`;

/**
 * Returns the displayed message of a fault. An empty required field has none until the user has tried to run the
 * operation.
 */
export const complaintOf = (fault: Fault | undefined, { path, tried }: State): string | undefined =>
  fault?.isMissing && tried !== path ? undefined : fault?.sentence;

/** Returns the error that the service has reported for a file, if there is one. */
export function problemOf({ problem, info }: Input): Problem | undefined {
  return problem ?? (info?.problem === undefined ? undefined : { status: 0, sentence: info.problem });
}

/** Error message for a PDF in a conversion to PDF. */
const IS_PDF = "The file is a PDF already.";

/** The field for the password that opens the inputs. */
const OPEN_PASSWORD = "current_open_password";
const NEEDS_PASSWORD = passwordProtected();

/** Reports whether an input is a PDF that needs a password to open, and has no other problem. */
export const isLocked = ({ problem, info }: Input): boolean =>
  problem === undefined && info?.type === "application/pdf" && info.problem === NEEDS_PASSWORD.message;

/** Reports whether an operation fails without the password of its inputs. */
function asksPassword(operation: Operation, state: State): boolean {
  const inputs = inputsOf(operation, state);
  const isAsked = isBatch(operation, state) ? inputs.every(isLocked) : inputs.some(isLocked);
  // The permissions password opens a PDF as well.
  const other = operation.fields.find(({ name }) => name === "current_permissions_password");
  const isOpened = other !== undefined && shownValue(operation, other, state) !== "";
  return isAsked && !isOpened && operation.fileErrors.includes(errorAnchor(NEEDS_PASSWORD.template));
}

/** Returns the reason why an operation cannot use an input; undefined if no reason is known. */
export const whyUnusable = (operation: Operation, input: Input): string | undefined =>
  isUnusable(firstOf(operation), input) ? (problemOf(input)?.sentence ?? IS_PDF) : undefined;

function isUnusable({ input: { accepts, webPages, converts }, fields }: Operation, input: Input): boolean {
  const canBeOpened = isLocked(input) && fields.some(({ name }) => name === OPEN_PASSWORD);
  // The conversion to PDF is the only operation that also accepts web pages.
  if (canBeOpened || problemOf(input) === undefined) return webPages && input.info?.type === "application/pdf";
  // The service has tried to read a stored file as a PDF. Other operations can use what is no PDF.
  if (input.id !== undefined) return accepts === "pdf" || webPages || converts === true;
  // The service could not fetch the URL. The browser that renders web pages might be able to load it.
  return !(webPages && input.url !== undefined && input.problem?.status === 422);
}

/** Returns the action that the user must take before an operation can run; undefined if it can run. */
export function obstacleTo(operation: Operation, state: State): string | undefined {
  if (state.service?.keyed && state.apiKey === "") return "Enter your key first.";
  if (!takesFiles(operation)) return undefined;
  if (operation.steps?.length === 0) return "Add a step first.";
  const inputs = inputsOf(operation, state);
  if (inputs.length === 0) return "Choose a file first.";
  const bad = inputs.filter((input) => isUnusable(firstOf(operation), input));
  // If each file has a separate job, an unusable file does not prevent the jobs of other files.
  if (bad.length === 0 || (isBatch(operation, state) && bad.length < inputs.length)) return undefined;
  return `Remove ${bad.length === 1 ? bad[0]!.name : countText(bad.length, "file")} first.`;
}

/** Returns the errors of a form in the order of its controls. */
export function faultsOf(operation: Operation, state: State): readonly Fault[] {
  const inputs = inputsOf(operation, state);
  const { perInput, steps = [] } = operation;
  const ofInputs = perInput
    ? inputs.flatMap((input) => {
        const sentence = checkValue(perInput, input.pages, (input.pdf ?? input).info?.pages);
        return sentence === undefined
          ? []
          : [{ control: pagesControlOf(input), name: perInput.name, sentence, isMissing: false }];
      })
    : [];
  const ofSteps = steps.flatMap((step, index) => [
    ...faultOfStep(steps, index),
    ...faultsOf(step, stateOfStep(state, index)),
  ]);
  const ofFiles = operation.files.flatMap((file) => faultOfFile(operation, file, state) ?? []);
  const ofFields = shownFields(operation, state).flatMap((field) => faultOf(operation, field, state) ?? []);
  return [...ofInputs, ...ofSteps, ...ofFiles, ...ofFields];
}

/** Returns the error of a step that can take nothing of what the step before makes. */
function faultOfStep(steps: readonly Operation[], index: number): readonly Fault[] {
  const sentence = mismatchAt(steps, index);
  const step = steps[index]!;
  return sentence === undefined ? [] : [{ control: stepControlOf(step), name: step.title, sentence, isMissing: false }];
}

/**
 * Returns the error of a further file: the file is required and missing, or the file and its alternative are both
 * present or both missing.
 */
export function faultOfFile(operation: Operation, file: DescribedFile, state: State): Fault | undefined {
  const { name, required, insteadOf } = file;
  const isThere = filesIn(operation, file, state.further).length > 0;
  const named = { control: controlOf(operation, file), name, isMissing: !isThere };
  if (insteadOf === undefined) {
    return required && !isThere ? { ...named, sentence: fieldRequired(name).message } : undefined;
  }
  const other = operation.fields.find((field) => field.name === insteadOf);
  const isOther = other
    ? String(shownValue(operation, other, state)).trim() !== ""
    : filesIn(operation, { name: insteadOf }, state.further).length > 0;
  return isThere === isOther ? { ...named, sentence: eitherRequired(name, insteadOf).message } : undefined;
}

export function faultOf(operation: Operation, field: FormField, state: State): Fault | undefined {
  const values = [shownValue(operation, field, state)].flat();
  const named = { control: controlOf(operation, field), name: field.name };
  if (values.every((text) => isBlank(field, text))) {
    const isMissing = isNeeded(field) || (field.name === OPEN_PASSWORD && asksPassword(operation, state));
    return isMissing ? { ...named, sentence: fieldRequired(field.name).message, isMissing } : undefined;
  }
  const inputs = inputsOf(operation, state);
  // Several documents can have different numbers of pages.
  const pageCount = inputs.length === 1 ? inputs[0]!.info?.pages : undefined;
  const sentence = field.content
    ? faultsOfJson(field.name, values[0]!, field.content)[0]?.sentence
    : values.map((text) => checkValue(field, text, pageCount)).find((found) => found !== undefined);
  return sentence === undefined ? undefined : { ...named, sentence, isMissing: false };
}
