// Defines how tool calls send requests to the service.
import type { Progress } from "../../ports/jobs.ts";

/** Handles a request to an API path within the process. */
export type Dispatch = (path: string, init?: RequestInit & { readonly progress?: Tell }) => Promise<Response>;

export type Tell = (progress: Progress) => void;

/**
 * Returns the stored properties of a file, without waiting for an engine.
 * @returns undefined if there is no such file
 */
export type FactsOf = (id: string) => Promise<object | undefined>;
