// Losses that the job did not cause: it is retried after them, as often as each allows. Knows nothing about browsers.

import { EngineFailure } from "../../../src/document/contract/failure.ts";

/** The browser died, and with it jobs that did not cause it. Another browser may run them. */
export class BrowserLost extends Error {
  override readonly name = "BrowserGone";
}

/** A page's renderer ended, or was ended, before its work was done. The work can be retried. */
export class RendererLost extends Error {
  override readonly name = "RendererLost";
  /** True if the page itself may have caused the loss. */
  readonly isOwnDoing: boolean;

  constructor(message: string, { isOwnDoing }: { readonly isOwnDoing: boolean }) {
    super(message);
    this.isOwnDoing = isOwnDoing;
  }
}

/** The browser lost its network for a moment. */
export class NetworkLost extends Error {
  override readonly name = "NetworkGone";
}

/** The last renderer that this side ended: when, in the clock of `performance.now()`, and why. */
export interface KillRecord {
  readonly at: number;
  readonly why: string;
}

/** Time after an own kill in which a reported end of a renderer is attributed to it. */
const OWN_KILL_MS = 3_000;

/**
 * Returns the loss that the end of a renderer means for its page.
 * @param status as the browser reports it: `killed` for SIGKILL, another text for a crash
 */
export function rendererError(status: string, { at, why }: KillRecord): Error {
  const isOurs = performance.now() - at < OWN_KILL_MS;
  if (isOurs && why === "too large") return new EngineFailure("too-large", "the page needs too much memory");
  if (isOurs && status === "killed") return new RendererLost("its renderer was stopped", { isOwnDoing: false });
  // The renderer ran out of memory, recursed too deep or has a defect. If it needs too much memory, the kernel ends
  // it with the signal that others use too.
  return new RendererLost(`its renderer ended: ${status}`, { isOwnDoing: true });
}
