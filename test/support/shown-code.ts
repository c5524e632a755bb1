// Runs the code that the workbench shows. Each language runs in a separate folder, which contains the files that the
// code names.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { inject } from "vitest";
import { LANGUAGES } from "../../src/service/reference/snippets/languages.ts";
import { openPythonPrograms } from "./python-programs.ts";
import type { Given } from "./workbench.ts";

const CLI = join(import.meta.dirname, "../../client/cli/main.ts");
const HAS_PHP = existsSync("/usr/bin/php");
if (!HAS_PHP) console.log("PHP is not installed: the code of the workbench for PHP is not run.");

type Language = (typeof LANGUAGES)[number]["id"];
type Code = Readonly<Record<Language, string>>;

/** Shows the code in each language, and returns the texts. */
export async function codeOf(page: Page): Promise<Code> {
  const texts: Record<Language, string> = {};
  for (const { id } of LANGUAGES) {
    await page.click(`#tab-${id}`);
    texts[id] = (await page.textContent("#code-panel"))!;
  }
  return texts;
}

export interface Saved extends Given {
  readonly language: Language;
}

export interface CodeRunner extends AsyncDisposable {
  /** Languages whose programs are installed. */
  readonly languages: readonly Language[];
  /** Runs code in all languages concurrently, with additional environment variables. Fails if a program fails, or changes a file that existed before. */
  run(code: Code, variables?: Readonly<Record<string, string>>): Promise<readonly Saved[]>;
}

/**
 * @param given files that the code names
 * @param python `bin` folder of a Python environment with the package `requests`
 */
export async function openCodeRunner(given: readonly Given[], python: string): Promise<CodeRunner> {
  const folder = await mkdtemp(join(tmpdir(), "shown-code-"));
  const programs = join(folder, "programs");
  await mkdir(programs);
  // The command's name after an installation, as the shown code uses it.
  await writeFile(join(programs, "pagewright"), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  await chmod(join(programs, "pagewright"), 0o755);
  const env = {
    ...process.env,
    PATH: `${programs}:${process.env.PATH}`,
    API_KEY: inject("services").keyed.key,
    XDG_CONFIG_HOME: folder,
    NODE_NO_WARNINGS: "1",
  };
  const programsOfPython = openPythonPrograms(python);
  const languages = LANGUAGES.map(({ id }) => id).filter((id) => id !== "php" || HAS_PHP);
  for (const language of languages) {
    await mkdir(join(folder, language));
    for (const { name, bytes } of given) await writeFile(join(folder, language, name), bytes);
  }

  async function runOne(
    language: Language,
    text: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<readonly Saved[]> {
    const cwd = join(folder, language);
    const running =
      language === "python"
        ? programsOfPython.run(text, cwd, { ...env, ...variables })
        : promisify(execFile)(...COMMANDS[language]!(text), { cwd, env: { ...env, ...variables } });
    await running.catch((error) => {
      throw new Error(`The code for ${language} failed:\n${text}\n${error.stdout}${error.stderr}`);
    });
    const saved: Saved[] = [];
    for (const name of await readdir(cwd)) {
      const bytes = await readFile(join(cwd, name));
      const before = given.find((file) => file.name === name);
      if (before && !bytes.equals(before.bytes)) throw new Error(`The code for ${language} has changed ${name}.`);
      if (before) continue;
      const isArgument = text.includes(`> ${name}\n`);
      if (!isArgument) saved.push({ language, name, bytes });
      await rm(join(cwd, name));
    }
    return saved;
  }

  return {
    languages,
    run: async (code, variables = {}) =>
      (await Promise.all(languages.map((language) => runOne(language, code[language]!, variables)))).flat(),
    async [Symbol.asyncDispose]() {
      await programsOfPython[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const COMMANDS: Readonly<Record<Exclude<Language, "python">, (code: string) => readonly [string, readonly string[]]>> =
  {
    curl: (code) => ["sh", ["-e", "-c", code]],
    javascript: (code) => [process.execPath, ["--input-type=module", "-e", code]],
    php: (code) => ["php", ["-r", code.replace(/^<\?php\n/, "")]],
    cli: (code) => ["sh", ["-e", "-c", code]],
  };
