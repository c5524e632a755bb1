// Defines the names of the engines, the setting ENGINES that selects them, and the exit code for invalid settings.

/** Exit code of a container with an invalid setting: EX_CONFIG of sysexits.h. */
export const MISCONFIGURED = 78;

/** Names of the engines in the setting ENGINES. */
export const ENGINE_NAMES = ["office", "ghostscript", "verapdf", "chromium", "threads"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** Names of the engines in the log. */
export const ENGINE_TITLES: Readonly<Record<EngineName, string>> = {
  office: "LibreOffice",
  ghostscript: "Ghostscript",
  verapdf: "veraPDF",
  chromium: "Chromium",
  threads: "threads",
};

/**
 * Parses a comma-separated list of engine names. Returns all names if the list is empty.
 * @throws Error that lists the valid names
 */
export function selectedEngines(list: string | undefined): ReadonlySet<EngineName> {
  const wanted = (list ?? "").split(",").flatMap((name) => name.trim() || []);
  const unknown = wanted.filter((name) => !isEngine(name));
  if (unknown.length > 0)
    throw new Error(`ENGINES has unknown engines: ${unknown.join(", ")}. The engines are ${ENGINE_NAMES.join(", ")}.`);
  return new Set(wanted.length === 0 ? ENGINE_NAMES : wanted.filter(isEngine));
}

const isEngine = (name: string): name is EngineName => (ENGINE_NAMES as readonly string[]).includes(name);
