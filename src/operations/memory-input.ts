// An in-memory input, which one operation creates for another.
import type { Input } from "../document/contract/operation.ts";

export const memoryInput = (whole: Uint8Array, name: string): Input => ({
  name,
  size: whole.length,
  bytes: async () => whole,
  async *stream() {
    yield whole;
  },
});
