// The client for platforms with a file system: Node, Deno, Bun.
import { createClientClass } from "./core/pagewright.ts";
import { openPath } from "./node/open-path.ts";
import { saveDownload } from "./node/save-download.ts";

export * from "./exports.ts";

/** A Pagewright service. Each operation is a method. */
export const Pagewright = createClientClass({ openPath, save: saveDownload });
