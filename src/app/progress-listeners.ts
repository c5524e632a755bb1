// Maps the request of an MCP tool call to its progress listener. Such a request never leaves this process.
import type { Progress } from "../service/ports/jobs.ts";

export type Listener = (progress: Progress) => void;

const listeners = new WeakMap<Request, Listener>();

export const setProgressListener = (request: Request, listener: Listener): void => {
  listeners.set(request, listener);
};

export const progressListenerOf = (request: Request): Listener | undefined => listeners.get(request);
