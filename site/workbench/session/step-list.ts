// Adds, orders and removes the steps of the list.

import { withoutSecrets } from "../model/keeping.ts";
import { fragmentOfSteps, type LinkedStep } from "../model/links.ts";
import { type Operation, pathOf } from "../model/operations.ts";
import type { State } from "../model/state.ts";
import { STEPS_PATH } from "../model/steps.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "./inputs.ts";

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
export function removeStep(store: Store, inputs: Inputs, { form, title }: Operation): void {
  const { steps, further, values } = store.state;
  const own = further.filter(({ field = "" }) => field.startsWith(`${numberOf(form)}/`));
  if (own.length > 0) inputs.remove(...own.map(({ key }) => key));
  const { [form]: _, ...others } = values;
  store.set({ values: others });
  change(
    store,
    steps.filter((one) => one !== form),
    `${title} was removed.`,
  );
}

/** An error names a step by its position, so it does not outlive a change of the list. */
function change(store: Store, steps: readonly string[], announcement: string): void {
  store.set({ steps, announcement });
  if (store.state.problem?.place !== "key") store.clear("problem");
}

/** Replaces the list by the steps of a link. */
export function openSteps(store: Store, linked: readonly LinkedStep[]): void {
  const forms = linked.map(({ path }, index) => `${index + 1}${path}`);
  const values = Object.fromEntries(linked.map(({ values }, index) => [forms[index]!, values]));
  store.set({ path: STEPS_PATH, isPathChosen: true, steps: forms, values: { ...store.state.values, ...values } });
}

/** Returns the fragment of a link to the steps of the list, without their files and secrets. */
export const linkOfSteps = ({ service, steps, values }: State): string =>
  fragmentOfSteps(
    steps.map((form) => {
      const path = pathOf(form);
      return { path, values: withoutSecrets(service?.all.get(path), values[form] ?? {}) };
    }),
  );
