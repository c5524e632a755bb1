// Serializes the state that is preserved across reloads: the stored files of the list, the values of the forms, and the
// results. The API key and passwords are never included, because browsers write the session storage to a disk.
import { type Operation, pathOf } from "./operations.ts";
import type { Input, Outcome, Result, State, Stored, Values } from "./state.ts";

/** Version of the saved format. */
const VERSION = 1;
const MAX_OUTCOMES = 20;

export type Kept = Pick<
  State,
  "inputs" | "further" | "outcomes" | "path" | "isPathChosen" | "steps" | "values" | "shown"
>;
type Files = Pick<State, "inputs" | "further" | "outcomes">;

/** Returns the saved part of the state as text; empty if there is nothing to save. */
export function keptText(state: State): string {
  const { inputs, further, outcomes, path, isPathChosen, steps, values, shown, service } = state;
  const kept: Kept = {
    // Omits files that are not stored yet, because their bytes cannot be saved.
    inputs: keptInputs(inputs),
    further: keptInputs(further),
    outcomes: outcomes.filter(hasFiles).slice(0, MAX_OUTCOMES),
    ...{ path, isPathChosen, steps },
    values: Object.fromEntries(
      Object.entries(values).map(([form, own]) => [form, withoutSecrets(service?.all.get(pathOf(form)), own)]),
    ),
    ...(shown === undefined ? {} : { shown }),
  };
  const lists = [kept.inputs, kept.further, kept.outcomes, steps, Object.keys(values)];
  const isEmpty = lists.every(({ length }) => length === 0);
  return isEmpty ? "" : JSON.stringify({ version: VERSION, ...kept });
}

export const withoutSecrets = (operation: Operation | undefined, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([field]) => !operation?.fields.some(({ name, secret }) => secret && name === field)),
  );

const keptInputs = (inputs: readonly Input[]) =>
  inputs.filter(isElsewhere).map(({ file: _, sent: __, ...input }) => input);

const isElsewhere = ({ id, url }: Input): boolean => id !== undefined || url !== undefined;

export const hasFiles = ({ results }: Pick<Outcome, "results">): boolean =>
  results.some(({ outputs }) => outputs.some(({ isDeleted }) => !isDeleted));

/** Parses saved state, and removes expired files. Returns undefined if the text has a different version. */
export function readKept(text: string | null, now: number): Kept | undefined {
  try {
    const { version, ...kept } = JSON.parse(text ?? "null") as Kept & { version: number };
    return version === VERSION ? { ...kept, ...without(kept, (file) => hasEnded(file, now)) } : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a file has expired. @param now current time in milliseconds since 1970 */
export const hasEnded = ({ info }: Stored, now: number): boolean => Date.parse(info?.expires ?? "") <= now;

/** Returns all stored files of the list and of the results. */
export const filesOf = ({ inputs, further, outcomes }: Files): readonly Stored[] => [
  ...[...inputs, ...further].flatMap(({ id, info, pdf }) => [
    ...(id === undefined ? [] : [{ id, ...(info ? { info } : {}) }]),
    ...(pdf ? [pdf] : []),
  ]),
  ...outcomes.flatMap(({ results }) => results.flatMap(({ outputs }) => outputs.filter(({ isDeleted }) => !isDeleted))),
];

/**
 * Removes deleted files from the state. An input whose local file or URL is still known remains, and is stored again
 * when needed.
 */
export function without({ inputs, further, outcomes }: Files, isGone: (file: Stored) => boolean): Files {
  const left = (input: Input): readonly Input[] => {
    const { id, info, pdf, ...rest } = input;
    const others = { ...rest, ...(pdf && !isGone(pdf) ? { pdf } : {}) };
    const stored = { ...(id === undefined ? {} : { id }), ...(info ? { info } : {}) };
    if (id === undefined || !isGone({ ...stored, id })) return [{ ...others, ...stored }];
    return input.file || input.url !== undefined ? [{ ...others, sent: 0 }] : [];
  };
  const cleared = (result: Result): Result => ({ ...result, outputs: result.outputs.filter((one) => !isGone(one)) });
  return {
    inputs: inputs.flatMap(left),
    further: further.flatMap(left),
    outcomes: outcomes
      .map((outcome) => ({ ...outcome, results: outcome.results.map(cleared) }))
      .filter(({ results }) => results.some(({ outputs }) => outputs.length > 0)),
  };
}
