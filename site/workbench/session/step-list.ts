// Adds, orders and removes the steps of the list.

import { withoutSecrets } from "../model/keeping.ts";
import { fragmentOfSteps, type LinkedStep } from "../model/links.ts";
import { type Operation, pathOf } from "../model/operations.ts";
import type { State } from "../model/state.ts";
import { possibleSteps, STEPS_PATH } from "../model/steps.ts";
import type { Store } from "../model/store.ts";

/** The files of the page. */
interface Files {
  remove(...keys: readonly number[]): void;
}

const numberOf = (form: string): number => Number.parseInt(form, 10);

/** Adds a step to the end of the list. @returns its form */
export function addStep(store: Store, { path, title }: Operation): string {
  const { steps } = store.state;
  const number = Math.max(0, ...steps.map(numberOf)) + 1;
  const form = number + path;
  change(store, [...steps, form], `${title} is now step ${steps.length + 1}.`);
  return form;
}

/** Moves a step to another position. A position outside the list becomes the first or last position. */
export function moveStep(store: Store, { form, title }: Operation, to: number): void {
  const { steps } = store.state;
  const index = Math.max(0, Math.min(to, steps.length - 1));
  const moved = steps.filter((one) => one !== form).toSpliced(index, 0, form);
  change(store, moved, `${title} is now step ${index + 1} of ${steps.length}.`);
}

/** Removes a step with its values, and deletes its further files. */
export function removeStep(store: Store, files: Files, { form, title }: Operation): void {
  discard(store, files, form);
  const left = store.state.steps.filter((one) => one !== form);
  change(store, left, `${title} was removed.`);
}

function discard(store: Store, files: Files, form: string): void {
  const own = store.state.further.filter(({ field = "" }) => field.startsWith(`${numberOf(form)}/`));
  if (own.length > 0) files.remove(...own.map(({ key }) => key));
  const { [form]: _, ...values } = store.state.values;
  store.set({ values });
}

/** An error names a step by its position, so it does not outlive a change of the list. */
function change(store: Store, steps: readonly string[], announcement: string): void {
  store.set({ steps, announcement });
  if (store.state.problem?.place !== "key") store.clear("problem");
}

/** Replaces the list by the steps of a link. Shows an error if it has none, and keeps the list. */
export function openSteps(store: Store, files: Files, linked: readonly LinkedStep[]): void {
  if (linked.length === 0) {
    complain(store, "The link has no steps that can be read.");
    return;
  }
  for (const form of store.state.steps) discard(store, files, form);
  const forms = linked.map(({ path }, index) => `${index + 1}${path}`);
  const values = Object.fromEntries(linked.map(({ values }, index) => [forms[index]!, values]));
  store.set({ path: STEPS_PATH, isPathChosen: true, steps: forms, values: { ...store.state.values, ...values } });
  dropImpossible(store);
}

/** Removes steps that the service does not offer, and shows an error. Does nothing until the service is known. */
export function dropImpossible(store: Store): void {
  const { service, steps } = store.state;
  if (!service) return;
  const paths = new Set(possibleSteps(service).map(({ path }) => path));
  const others = steps.filter((form) => !paths.has(pathOf(form)));
  if (others.length === 0) return;
  const names = others.map((form) => pathOf(form).slice(1)).join(", ");
  store.set({ steps: steps.filter((form) => !others.includes(form)) });
  complain(store, `This service has no such step: ${names}.`);
}

const complain = (store: Store, sentence: string): void =>
  store.set({ problem: { status: 0, sentence, place: "job" }, announcement: sentence });

/** Returns the fragment of a link to the steps of the list, without their files and secrets. */
export const linkOfSteps = ({ service, steps, values }: State): string =>
  fragmentOfSteps(
    steps.map((form) => {
      const path = pathOf(form);
      return { path, values: withoutSecrets(service?.all.get(path), values[form] ?? {}) };
    }),
  );
