// The client where programs have files: Node, Deno, Bun.
import { clientFor } from "./core/pagewright.ts";
import { openPath } from "./node/open-path.ts";
import { saveDownload } from "./node/save-download.ts";

export type { Options } from "./core/connection.ts";
export type { Download } from "./core/download.ts";
export { PagewrightError } from "./core/error.ts";
export type { Input, Inputs, NamedStream, Selected } from "./core/inputs.ts";
export type * from "./core/operations.ts";
export type { Pagewright as PagewrightClient } from "./core/pagewright.ts";
export type { CallOptions, Progress } from "./core/progress.ts";
export type { FileInfo, Result, StoredFile } from "./core/result.ts";

/** A service. Every operation is a method. */
export const Pagewright = clientFor({ openPath, save: saveDownload });
