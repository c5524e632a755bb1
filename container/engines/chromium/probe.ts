// Tests that a page of the browser runs scripts.

import type { Session } from "./pipe.ts";

/** Runs a script in a prepared page. @throws Error if the script's result is wrong */
export async function runScript(session: Session): Promise<void> {
  const { result } = await session.send("Runtime.evaluate", { expression: "6 * 7" });
  if (result.value !== 42) throw new Error("a page does not run scripts");
}
