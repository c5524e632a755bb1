// The storage of a service on this machine (what `wrangler dev --persist-to` keeps), opened with Miniflare beside a running service.

import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";

export interface LocalStorage extends AsyncDisposable {
  /** The namespace of API keys. */
  readonly keys: Awaited<ReturnType<Miniflare["getKVNamespace"]>>;
  /** The bucket of stored files. */
  readonly files: Awaited<ReturnType<Miniflare["getR2Bucket"]>>;
}

/** @param persistTo the folder that the service persists to */
export async function openLocalStorage(persistTo: string): Promise<LocalStorage> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default {}",
      // wrangler.toml names the bucket; a namespace without an id goes by its binding.
      resourcePersistencePath: join(persistTo, "v3"),
      kvNamespaces: { API_KEYS: "API_KEYS" },
      r2Buckets: { FILES: "pagewright-files" },
    }),
  );
  await miniflare.ready;
  return {
    keys: await miniflare.getKVNamespace("API_KEYS"),
    files: await miniflare.getR2Bucket("FILES"),
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  };
}

/** @returns how many objects the bucket holds */
export async function countFiles({ files }: LocalStorage): Promise<number> {
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const page = await files.list(cursor === undefined ? {} : { cursor });
    count += page.objects.length;
    if (!page.truncated) return count;
    cursor = page.cursor;
  }
}
