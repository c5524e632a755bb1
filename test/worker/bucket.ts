// The local R2 bucket inside workerd, emptied before each test.
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";

export const bucket = (env as unknown as { FILES: R2Bucket }).FILES;

export const keysInBucket = async (): Promise<string[]> => (await bucket.list()).objects.map(({ key }) => key);

/** Empties the bucket before each test of the file that calls it. */
export function emptyBucketBeforeEach(): void {
  beforeEach(async () => {
    await bucket.delete(await keysInBucket());
  });
}
