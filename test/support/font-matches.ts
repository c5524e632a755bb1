// Asks fontconfig for fonts by name, with the rules of the container.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/**
 * Returns the match of each name. The names' hyphens do not begin a size.
 * @param rules path of fontconfig's configuration
 * @param format as of `fc-match --format`
 */
export function fontMatches(rules: string, format: string, names: readonly string[]): string[] {
  const input = JSON.stringify(names.map((name) => name.replaceAll("-", "\\-")));
  const output = execFileSync("python3", [join(import.meta.dirname, "match_fonts.py"), format], {
    input,
    encoding: "utf8",
    env: { ...process.env, FONTCONFIG_FILE: rules },
  });
  return JSON.parse(output) as string[];
}
