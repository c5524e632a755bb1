// Prints the last line of a test run: `N passed, N failed`, with `, N skipped` if there are any.

import { writeSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };

  onInit(): void {
    // Runs after all other output, including the services' last messages.
    process.once("exit", (code) => {
      const { passed, failed, skipped } = this.#counts;
      // A run can fail without a failed test: for example if a service does not start, or after an error outside all
      // tests.
      const failures = code === 0 ? failed : Math.max(failed, 1);
      writeSync(1, `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = this.#counts;
    Object.assign(counts, { passed: 0, failed: 0, skipped: 0 });
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // The test did not run, because a hook failed or the run was interrupted.
        counts[state === "pending" ? "failed" : state]++;
      }
      // Counts a file that does not load, or a hook that fails, because no test need have failed.
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    counts.failed += unhandledErrors.length;
  }
}
