// The client where programs have files: Node, Deno, Bun.
import { createClientClass } from "./core/pagewright.ts";
import { openPath } from "./node/open-path.ts";
import { saveDownload } from "./node/save-download.ts";

export * from "./exports.ts";

/** A service. Every operation is a method. */
export const Pagewright = createClientClass({ openPath, save: saveDownload });
