// Interface to the service for tool calls.
import type { Progress } from "../../ports/jobs.ts";

/** Handles a request in process. The path is an API path. */
export type Dispatch = (path: string, init?: RequestInit & { readonly progress?: Tell }) => Promise<Response>;

export type Tell = (progress: Progress) => void;

/**
 * Returns the stored properties of a file, without waiting for an engine.
 * @returns undefined if there is no such file
 */
export type FactsOf = (id: string) => Promise<object | undefined>;
