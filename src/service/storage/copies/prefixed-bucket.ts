// Presents the objects of a bucket whose keys have a prefix as a separate bucket.

import type { Bucket, BucketListOptions, BucketObject } from "../../ports/bucket.ts";

export function prefixedBucket(bucket: Bucket, prefix: string): Bucket {
  const keyed = <T>(key: T): T => (Array.isArray(key) ? key.map((one) => prefix + one) : prefix + key) as T;
  const unkeyed = ({ key, size, etag, uploaded, customMetadata, httpMetadata }: BucketObject): BucketObject => ({
    ...{ key: key.slice(prefix.length), size, etag, uploaded },
    ...(customMetadata ? { customMetadata } : {}),
    ...(httpMetadata ? { httpMetadata } : {}),
  });
  return {
    head: (key) => bucket.head(keyed(key)),
    get: ((key, options) => bucket.get(keyed(key), options)) as Bucket["get"],
    put: ((key, value, options) => bucket.put(keyed(key), value, options)) as Bucket["put"],
    delete: (keys) => bucket.delete(keyed(keys)),
    async list({ prefix: inner = "", ...options }: BucketListOptions = {}) {
      const page = await bucket.list({ ...options, prefix: keyed(inner) });
      const objects = page.objects.map(unkeyed);
      return page.truncated ? { objects, truncated: true, cursor: page.cursor } : { objects, truncated: false };
    },
    createMultipartUpload: (key, options) => bucket.createMultipartUpload(keyed(key), options),
    resumeMultipartUpload: (key, uploadId) => bucket.resumeMultipartUpload(keyed(key), uploadId),
  };
}
