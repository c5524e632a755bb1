// Builds this folder's kernel; what is built is said in ../kernel.ts.
import { buildKernel } from "../kernel.ts";

export const build = (): Promise<void> => buildKernel("inflate");

if (import.meta.main) await build();
