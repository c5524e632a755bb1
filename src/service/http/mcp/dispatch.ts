// Defines the service as agents' calls use it.
import type { Progress } from "../../ports/jobs.ts";

/** Serves a request as the service does. The path is that of the API. */
export type Dispatch = (path: string, init?: RequestInit & { readonly progress?: Tell }) => Promise<Response>;

export type Tell = (progress: Progress) => void;

/**
 * Returns what storage knows of a file, which needs no turn of an engine.
 * @returns undefined if there is no such file
 */
export type FactsOf = (id: string) => Promise<object | undefined>;
