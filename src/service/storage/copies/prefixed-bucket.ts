// Presents the objects of a bucket whose keys have a prefix as a separate bucket.

import type { Bucket, BucketListOptions, BucketObject } from "../../ports/bucket.ts";

export function prefixedBucket(bucket: Bucket, prefix: string): Bucket {
  const prefixed = <T>(key: T): T => (Array.isArray(key) ? key.map((one) => prefix + one) : prefix + key) as T;
  const withoutPrefix = ({ key, size, etag, uploaded, customMetadata, httpMetadata }: BucketObject): BucketObject => ({
    ...{ key: key.slice(prefix.length), size, etag, uploaded },
    ...(customMetadata ? { customMetadata } : {}),
    ...(httpMetadata ? { httpMetadata } : {}),
  });
  return {
    head: (key) => bucket.head(prefixed(key)),
    get: ((key, options) => bucket.get(prefixed(key), options)) as Bucket["get"],
    put: ((key, value, options) => bucket.put(prefixed(key), value, options)) as Bucket["put"],
    delete: (keys) => bucket.delete(prefixed(keys)),
    async list({ prefix: inner = "", ...options }: BucketListOptions = {}) {
      const page = await bucket.list({ ...options, prefix: prefixed(inner) });
      const objects = page.objects.map(withoutPrefix);
      return page.truncated ? { objects, truncated: true, cursor: page.cursor } : { objects, truncated: false };
    },
    createMultipartUpload: (key, options) => bucket.createMultipartUpload(prefixed(key), options),
    resumeMultipartUpload: (key, uploadId) => bucket.resumeMultipartUpload(prefixed(key), uploadId),
  };
}
