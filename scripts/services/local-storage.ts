// Opens the storage of a local service (the data of `wrangler dev --persist-to`) with Miniflare. Works while the
// service runs, too.

import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

export interface LocalStorage extends AsyncDisposable {
  /** Namespace of API keys. */
  readonly keys: Awaited<ReturnType<Miniflare["getKVNamespace"]>>;
  /** Bucket of stored files. */
  readonly files: Awaited<ReturnType<Miniflare["getR2Bucket"]>>;
  /** Database with the usage of keys. */
  readonly usage: Awaited<ReturnType<Miniflare["getD1Database"]>>;
}

/** @param persistTo folder in which the service stores its data */
export async function openLocalStorage(persistTo: string): Promise<LocalStorage> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      // The bucket has the name in wrangler.toml. A namespace or database without an ID has the name of its binding.
      resourcePersistencePath: join(persistTo, "v3"),
      kvNamespaces: { API_KEYS: "API_KEYS" },
      r2Buckets: { FILES: "pagewright-files" },
      d1Databases: { USAGE: "USAGE" },
    }),
  );
  await miniflare.ready;
  return {
    keys: await miniflare.getKVNamespace("API_KEYS"),
    files: await miniflare.getR2Bucket("FILES"),
    usage: await miniflare.getD1Database("USAGE"),
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}

/** @returns the number of objects in the bucket */
export async function countFiles({ files }: LocalStorage): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await files.list(cursor === undefined ? {} : { cursor });
    count += page.objects.length;
    if (!page.truncated) return count;
    cursor = page.cursor;
  }
}
