// Waits until a page meets the client's condition.

import { setTimeout as sleep } from "node:timers/promises";
import type { Protocol } from "devtools-protocol";
import { EngineFailure, OutOfRange } from "../../../../src/document/contract/failure.ts";
import type { WaitCondition } from "../../../../src/document/contract/parameters/web-page.ts";
import type { Session } from "../pipe.ts";

const LOOK_MS = 50;

interface Waiting {
  readonly session: Session;
  /** ID of the page's main frame. */
  readonly frameId: string;
  readonly timeoutMs: number;
  /** Limits the wait, and rejects when the page is lost. */
  within<T>(timeoutMs: number, work: Promise<T>, what: string): Promise<T>;
}

/**
 * Waits until a page meets a condition.
 * @throws EngineFailure `unmet-condition` if it takes too long
 * @throws OutOfRange `wait_for` if the condition cannot be parsed
 */
export async function meetCondition(condition: WaitCondition, waiting: Waiting): Promise<void> {
  const { within, timeoutMs } = waiting;
  if ("milliseconds" in condition) {
    await within(condition.milliseconds + timeoutMs, sleep(condition.milliseconds), "a pause");
    return;
  }
  const ended = new AbortController();
  const check = "selector" in condition ? selectorCheck(condition, waiting) : expressionCheck(condition, waiting);
  try {
    await within(timeoutMs, repeat(check, ended.signal), "a condition");
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.reason !== "timed-out") throw error;
    throw new EngineFailure("unmet-condition", Object.keys(condition).join(), { cause: error });
  } finally {
    ended.abort();
  }
}

async function repeat(check: () => Promise<boolean>, ended: AbortSignal): Promise<void> {
  while (!ended.aborted && !(await check())) await sleep(LOOK_MS);
}

/** Looks for the element in a world of our own, in which the page cannot replace functions. */
function selectorCheck({ selector }: { selector: string }, { session, frameId }: Waiting): () => Promise<boolean> {
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`;
  let contextId: Promise<number> | undefined;
  return async () => {
    contextId ??= session
      .send("Page.createIsolatedWorld", { frameId })
      .then(({ executionContextId }) => executionContextId);
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      contextId: await contextId,
    });
    if (exceptionDetails) throw new OutOfRange("wait_for", selector, "It is not a CSS selector.");
    return result.value === true;
  };
}

/** Evaluates the expression in the page's own world, with no more rights than the page's scripts. */
function expressionCheck({ expression }: { expression: string }, { session }: Waiting): () => Promise<boolean> {
  let isParsed = false;
  return async () => {
    if (!isParsed) {
      await session.send("Runtime.enable");
      const compiled = await session.send("Runtime.compileScript", { expression, sourceURL: "", persistScript: false });
      if (compiled.exceptionDetails) throw new OutOfRange("wait_for", `js:${expression}`, "It is not JavaScript.");
      isParsed = true;
    }
    const evaluated = await session.send("Runtime.evaluate", { expression, awaitPromise: true, silent: true });
    // Variables of the page might not exist yet.
    return evaluated.exceptionDetails === undefined && isTruthy(evaluated.result);
  };
}

function isTruthy({ type, subtype, value, unserializableValue }: Protocol.Runtime.RemoteObject): boolean {
  if (unserializableValue !== undefined) return !["NaN", "-0", "0n"].includes(unserializableValue);
  if (type === "object") return subtype !== "null";
  return type === "function" || type === "symbol" || Boolean(value);
}
