// Reads the content of the local R2 of `wrangler dev` from its database on disk.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The folder in which miniflare stores the databases of its buckets. */
const DATABASES = "v3/r2/miniflare-R2BucketObject";

export interface StoredObjects {
  readonly keys: readonly string[];
  /** Number of multipart uploads that were neither completed nor aborted. */
  readonly openUploadCount: number;
}

/**
 * Counts the stored objects, except the empty ones that note which files were deleted.
 * @param storage the folder of the service's local storage
 * @throws Error if the database has an unexpected schema
 */
export function storedObjects(storage: string): StoredObjects {
  const folder = join(storage, DATABASES);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) : [];
  if (files.length === 0) throw new Error(`There is no database in ${folder}.`);
  const found = files.map((file) => {
    using database = new DatabaseSync(join(folder, file), { readOnly: true });
    const rows = database.prepare("SELECT key FROM _mf_objects WHERE key NOT LIKE 'retired/%'").all() as {
      key: string;
    }[];
    const uploads = database.prepare("SELECT count(*) AS count FROM _mf_multipart_uploads WHERE state = 0").get();
    return { keys: rows.map(({ key }) => key), openUploadCount: Number((uploads as { count: number }).count) };
  });
  return {
    keys: found.flatMap(({ keys }) => keys),
    openUploadCount: found.reduce((sum, { openUploadCount }) => sum + openUploadCount, 0),
  };
}
