// Runs Python programs with the package `requests` (test/clients/run_programs.py).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { clientSources } from "./client-tools.ts";

export interface PythonPrograms extends AsyncDisposable {
  /**
   * Runs a program in a process of its own. Programs run one after the other.
   * @param variables - environment variables, in addition to those of this process
   * @returns the standard output of the program
   * @throws Error with both outputs, if the program fails
   */
  run(text: string, folder: string, variables: Readonly<Record<string, string>>): Promise<string>;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param bin - `bin` folder of a Python environment with the package `requests` */
export function openPythonPrograms(bin: string): PythonPrograms {
  const args = ["-W", "error::SyntaxWarning", join(clientSources, "run_programs.py")];
  const python = spawn(join(bin, "python"), args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(python, "close");
  const answers = createInterface(python.stdout)[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();

  async function runNow(request: object): Promise<string> {
    python.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error("run_programs.py has ended.");
    const { code, stdout, stderr } = JSON.parse(value) as Ended;
    if (code !== 0) throw Object.assign(new Error(`exit code ${code}`), { stdout, stderr });
    return stdout;
  }

  return {
    run(text, folder, variables) {
      const running = last.then(() => runNow({ text, folder, variables }));
      last = running.catch(() => {});
      return running;
    },
    async [Symbol.asyncDispose]() {
      python.stdin.end();
      await ended;
    },
  };
}
