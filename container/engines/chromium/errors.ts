// Losses that the job did not cause, after which it is retried. Each kind has a separate limit of retries.

import { EngineFailure } from "../../../src/document/contract/failure.ts";

/** The browser died, and with it jobs that did not cause it. They can run in another browser. */
export class BrowserLost extends Error {
  override readonly name = "BrowserLost";
}

/** A page's renderer ended, or was ended, before its work was done. The work can be retried. */
export class RendererLost extends Error {
  override readonly name = "RendererLost";
  /** True if the page itself might have caused the loss. */
  readonly isOwnDoing: boolean;

  constructor(message: string, { isOwnDoing }: { readonly isOwnDoing: boolean }) {
    super(message);
    this.isOwnDoing = isOwnDoing;
  }
}

/** The browser temporarily lost its network. */
export class NetworkLost extends Error {
  override readonly name = "NetworkLost";
}

/** The last renderer that this service killed: the time by `performance.now()`, and the reason. */
export interface KillRecord {
  readonly at: number;
  readonly reason: string;
}

/** Time in which a reported renderer death is attributed to this service's last kill. */
const OWN_KILL_MS = 3_000;

/**
 * Returns the loss of a page for the death of its renderer.
 * @param status as the browser reports it: `killed` for SIGKILL, another text for a crash
 */
export function rendererError(status: string, { at, reason }: KillRecord): Error {
  const isOurs = performance.now() - at < OWN_KILL_MS;
  if (isOurs && reason === "too large") return new EngineFailure("too-large", "the page needs too much memory");
  if (isOurs && status === "killed") return new RendererLost("its renderer was stopped", { isOwnDoing: false });
  // The renderer ran out of memory, recursed too deep or has a bug. The kernel's out-of-memory killer also uses
  // SIGKILL, so this case cannot be distinguished from other kills.
  return new RendererLost(`its renderer ended: ${status}`, { isOwnDoing: true });
}
