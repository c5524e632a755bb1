// Losses that the job did not cause. The job is retried, with a separate limit for each kind of loss.

import { EngineFailure } from "../../../src/document/contract/failure.ts";

/** The browser died during a job that did not cause its death. The job can run in another browser. */
export class BrowserLost extends Error {
  override readonly name = "BrowserLost";
}

/** A page's renderer ended or was killed before its job was done. The job can be retried. */
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

/** A document that must be static is not. It can be printed in a page of its own. */
export class NotStatic extends Error {
  override readonly name = "NotStatic";
}

/** The last kill of a renderer by this service: its time (`performance.now()`) and its reason. */
export interface KillRecord {
  readonly at: number;
  readonly reason: string;
}

/** A reported death of a renderer within this time after a kill is attributed to that kill. */
const OWN_KILL_MS = 3_000;

/**
 * Returns the error for a page whose renderer died.
 * @param status as the browser reports it: `killed` for SIGKILL, another text for a crash
 */
export function rendererError(status: string, { at, reason }: KillRecord): Error {
  const isOurs = performance.now() - at < OWN_KILL_MS;
  if (isOurs && reason === "too large") return new EngineFailure("too-large", "the page needs too much memory");
  if (isOurs && status === "killed") return new RendererLost("its renderer was stopped", { isOwnDoing: false });
  // The renderer ran out of memory, recursed too deep or has a bug. A SIGKILL by the kernel's out-of-memory killer
  // cannot be distinguished from one by another program.
  return new RendererLost(`its renderer ended: ${status}`, { isOwnDoing: true });
}
