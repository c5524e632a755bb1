// Builds this folder's kernel; what is built is said in ../kernel.ts.
import { buildKernel } from "../kernel.ts";

export const build = (): Promise<void> => buildKernel("picture");

if (import.meta.main) await build();
