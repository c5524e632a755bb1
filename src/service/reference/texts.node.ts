// Reads the texts of the reference in Node.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");

export const api = read("../../../docs/api.md");
export const client = read("../../../client/README.md");
export const compression = read("../../../docs/compression.md");
export const flattening = read("../../../docs/flattening.md");
export const limits = read("../../../docs/limits.md");
export const pdfa = read("../../../docs/pdfa.md");
export const layout = read("./assets/layout.css");
export const prose = read("./assets/prose.css");
export const script = read("./assets/search.browser.js");
