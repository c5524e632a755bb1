// Exports for all platforms. index.ts and node.ts add the client class.
export type { Options } from "./core/connection.ts";
export type { Download } from "./core/download.ts";
export { PagewrightError } from "./core/error.ts";
export type { Input, Inputs, InputWithPages, NamedStream, Selected } from "./core/inputs.ts";
export type { Pagewright as PagewrightClient } from "./core/pagewright.ts";
export type { CallOptions, Progress } from "./core/progress.ts";
export type { FileInfo, Result, StoredFile } from "./core/result.ts";
export type * from "./generated/operations.ts";
