// Compares the installed versions of the engines' Debian packages with the distribution's current versions. apt-get does
// not know a LibreOffice in a folder of its own, so its age is checked.

import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { INSTALLATION } from "../../container/engines/libreoffice/profile.ts";

/** Packages whose code parses documents, as patterns for dpkg-query(1). */
const ENGINES = [
  ...["libreoffice-core-nogui", "libreoffice-*-nogui", "ghostscript", "libgs[0-9]*", "chromium-headless-shell"],
  "openjdk-*-jre-headless",
];
const TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;
/** Maximum age of LibreOffice's own folder. */
const MAX_DAYS = 30;

export interface PackagePolicy {
  readonly name: string;
  readonly installed: string;
  /** Version that apt would install. */
  readonly candidate: string;
  /** False if no configured repository contains the package. */
  readonly isOffered: boolean;
}

/** @param output of `apt-cache policy`. Packages that are not installed are ignored */
export function policiesIn(output: string): PackagePolicy[] {
  const blocks = output.split(/^(?=\S)/m);
  return blocks.flatMap((block) => {
    const [, name] = /^(\S+):\n/.exec(block) ?? [];
    const [, installed] = /^ {2}Installed: (\S+)$/m.exec(block) ?? [];
    const [, candidate] = /^ {2}Candidate: (\S+)$/m.exec(block) ?? [];
    if (!name || !installed || !candidate || installed === "(none)") return [];
    const isOffered = /^ +-?\d+ (?!\/var\/lib\/dpkg\/status)\S+/m.test(block);
    return [{ name, installed, candidate, isOffered }];
  });
}

/**
 * @param ask returns the output of `apt-cache policy` for the engines; an empty string on systems without Debian
 * packages
 * @param officeDays age of LibreOffice's own folder; 0 if there is none
 * @returns the text to print; it begins with "warning" if an engine is older than the distribution's version
 */
export async function checkEnginePackages(
  ask: () => Promise<string> = policies,
  officeDays = daysSinceFetched(),
): Promise<string> {
  if (officeDays > MAX_DAYS)
    return `warning: LibreOffice was fetched ${Math.floor(officeDays)} days ago, run container/install-engines.sh --upgrade`;
  const known = policiesIn(await ask());
  if (known.length === 0) return "not checked: no engine is installed from a Debian package";
  const older = known.filter(({ installed, candidate }) => installed !== candidate);
  const lines = older.map(({ name, installed, candidate }) => `${name} ${installed}, now ${candidate}`);
  if (older.length > 0) return `warning: older than the distribution's, run apt-get upgrade: ${lines.join("; ")}`;
  if (!known.some(({ isOffered }) => isOffered)) return "not checked: apt has no list of packages, run apt-get update";
  return `${known.length} packages are the distribution's newest that apt knows`;
}

function daysSinceFetched(): number {
  const version = statSync(join(INSTALLATION, "version"), { throwIfNoEntry: false });
  return version === undefined ? 0 : (Date.now() - version.mtimeMs) / DAY_MS;
}

async function policies(): Promise<string> {
  // Each line has a name, a tab and a version.
  const installed = await outputOf("dpkg-query", ["-W", ...ENGINES]);
  const names = installed.split("\n").flatMap((line) => line.split(/[\t:]/)[0] || []);
  return names.length === 0 ? "" : outputOf("apt-cache", ["policy", ...names]);
}

/**
 * Returns a program's output in English, or an empty string if the program is missing. Ignores the exit code: with an
 * exit code of 1, the output can still be useful.
 */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, env: { ...process.env, LC_ALL: "C" } };
    execFile(program, args, options, (_error, stdout) => resolve(stdout));
  });
}
