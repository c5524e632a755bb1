// Builds this folder's kernel; ../kernel.ts describes the output.
import { buildKernel } from "../kernel.ts";

export const build = (): Promise<void> => buildKernel("deflate");

if (import.meta.main) await build();
