// The client where programs have no files: browsers, Workers.
import { PagewrightError } from "./core/error.ts";
import { clientFor } from "./core/pagewright.ts";

const noFiles = async (): Promise<never> => {
  throw new PagewrightError(0, "There are no files here: use a Blob, a stream or a URL.");
};

export type { Options } from "./core/connection.ts";
export type { Download } from "./core/download.ts";
export { PagewrightError } from "./core/error.ts";
export type { Input, Inputs, NamedStream, Selected } from "./core/inputs.ts";
export type * from "./core/operations.ts";
export type { Pagewright as PagewrightClient } from "./core/pagewright.ts";
export type { CallOptions, Progress } from "./core/progress.ts";
export type { FileInfo, Result, StoredFile } from "./core/result.ts";

/** A service. Every operation is a method. */
export const Pagewright = clientFor({ openPath: noFiles, save: noFiles });
