// The client for platforms without a file system, such as browsers and Workers.
import { PagewrightError } from "./core/error.ts";
import { createClientClass } from "./core/pagewright.ts";

const noFiles = async (): Promise<never> => {
  throw new PagewrightError(0, "This platform has no file system: use a Blob, a stream or a URL.");
};

export * from "./exports.ts";

/** Client of a Pagewright service. Each operation is a method. */
export const Pagewright = createClientClass({ openPath: noFiles, save: noFiles });
