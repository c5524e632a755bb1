// Prints the last line of a test run: `N passed, N failed`, and `, N skipped` when some were.

import { writeSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };

  onInit(): void {
    // After everything else, what the services say at their end included.
    process.once("exit", (code) => {
      const { passed, failed, skipped } = this.#counts;
      // A run may fail without a failed test: a service that does not start, an error outside of every test.
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
        // Never ran: a hook failed or the run was interrupted.
        counts[state === "pending" ? "failed" : state]++;
      }
      // A file that does not load, a hook that fails: no test of it need have failed.
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    counts.failed += unhandledErrors.length;
  }
}
