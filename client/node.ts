// The client for platforms with a file system, such as Node, Deno and Bun.
import { createClientClass } from "./core/pagewright.ts";
import { openPath } from "./node/open-path.ts";
import { saveDownload } from "./node/save-download.ts";

export * from "./exports.ts";

/** Client of a Pagewright service. Each operation is a method. */
export const Pagewright = createClientClass({ openPath, save: saveDownload });
