// Names the step of a request in the errors that it causes.

import type { Endpoint } from "../endpoint.ts";
import { toServiceError } from "../errors.ts";

/** @param index index of the step, from 0 @throws ServiceError the error of `work`, with the step */
export function inStep<T>(index: number, { path }: Endpoint, work: () => T): T {
  const named = (error: unknown) => toServiceError(error).inStep(index, path);
  try {
    const result = work();
    return result instanceof Promise ? (result.catch((error) => Promise.reject(named(error))) as T) : result;
  } catch (error) {
    throw named(error);
  }
}
