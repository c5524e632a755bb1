// Proves that a page of the browser runs. Knows nothing about jobs.

import type { Session } from "./pipe.ts";

/** Runs a script in a page that no job uses yet. @throws Error if its result is wrong */
export async function runScript(session: Session): Promise<void> {
  const { result } = await session.send("Runtime.evaluate", { expression: "6 * 7" });
  if (result.value !== 42) throw new Error("a page does not run scripts");
}
