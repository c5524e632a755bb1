// Formats and parses URL fragments that open results or steps. Browsers do not send fragments, so the IDs in them
// appear in no log.

import { parsed } from "./profile.ts";
import type { Value, Values } from "./state.ts";

const NAME = "result";
const STEPS = "steps";
const ID = /^[12][\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A step in a link: the path of its operation, and the values that the visitor has set. */
export interface LinkedStep {
  readonly path: string;
  readonly values: Values;
}

export const fragmentOf = (ids: readonly string[]): string => `#${NAME}=${ids.join(",")}`;

/** Returns the file IDs in a fragment; none if the fragment has another form. */
export function idsIn(fragment: string): readonly string[] {
  const list = valueIn(fragment, NAME);
  return [...new Set(list.split(",").filter((id) => ID.test(id)))];
}

/** The fragment contains the steps as a request does: a JSON list of objects with a name and fields. */
export const fragmentOfSteps = (steps: readonly LinkedStep[]): string =>
  `#${STEPS}=${encodeURIComponent(JSON.stringify(steps.map(({ path, values }) => ({ [path.slice(1)]: values }))))}`;

/** Returns the steps in a fragment: undefined if it is no link to steps, none if they cannot be read. */
export function stepsIn(fragment: string): readonly LinkedStep[] | undefined {
  const text = valueIn(fragment, STEPS);
  const list = parsed(text)?.value;
  if (!Array.isArray(list)) return text === "" ? undefined : [];
  return list.flatMap((step: unknown) => {
    const [entry] = Object.entries(step ?? {});
    return entry ? [{ path: `/${entry[0]}`, values: textsIn(entry[1]) }] : [];
  });
}

/** Returns the members of an object that are texts, numbers or lists of them, as texts. */
function textsIn(fields: unknown): Values {
  const isText = (value: unknown) => typeof value === "string" || typeof value === "number";
  const entries = Object.entries(fields ?? {}).flatMap(([name, value]): [string, Value][] => {
    if (isText(value)) return [[name, String(value)]];
    return Array.isArray(value) && value.every(isText) ? [[name, value.map(String)]] : [];
  });
  return Object.fromEntries(entries);
}

const valueIn = (fragment: string, name: string): string =>
  new URLSearchParams(fragment.replace(/^#/, "")).get(name) ?? "";
