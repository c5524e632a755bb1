// Reads which engines an instance has from the setting ENGINES.

import { ENGINE_NAMES, type EngineName } from "../operations/native.ts";

/**
 * Returns the names in a list with commas, or all names if there is no list.
 * @throws Error that lists the known names
 */
export function selectedEngines(list: string | undefined): ReadonlySet<EngineName> {
  const wanted = (list ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = wanted.filter((name) => !isEngine(name));
  if (unknown.length > 0) throw new Error(`ENGINES has ${unknown.join(", ")}; it can have ${ENGINE_NAMES.join(", ")}.`);
  return new Set(wanted.length === 0 ? ENGINE_NAMES : wanted.filter(isEngine));
}

const isEngine = (name: string): name is EngineName => (ENGINE_NAMES as readonly string[]).includes(name);
