// Makes inputs of documents in memory.
import type { Input } from "./operation.ts";

export const memoryInput = (whole: Uint8Array, name: string, role?: string): Input => ({
  name,
  ...(role === undefined ? {} : { role }),
  size: whole.length,
  bytes: async () => whole,
  async *stream() {
    yield whole;
  },
});
