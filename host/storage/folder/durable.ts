// Makes changes of folders durable, creates private files, and tells files that are missing from failures.

import { open } from "node:fs/promises";

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Syncs folders for several writers at a time. Those that wait while a folder is being synced share the next sync. */
export class FolderSyncs {
  readonly #running = new Map<string, { readonly ended: Promise<void>; next: Promise<void> | undefined }>();

  /** Makes the names durable that are in a folder when this is called. */
  sync(path: string): Promise<void> {
    const running = this.#running.get(path);
    // A sync that has begun may have missed the last names.
    if (running) running.next ??= running.ended.catch(() => {}).then(() => this.#start(path));
    return running?.next ?? this.#start(path);
  }

  #start(path: string): Promise<void> {
    const ended = syncFolder(path);
    const sync = { ended, next: undefined };
    this.#running.set(path, sync);
    const forget = () => {
      if (this.#running.get(path) === sync && !sync.next) this.#running.delete(path);
    };
    ended.then(forget, forget);
    return ended;
  }
}

/** Handles the failure of an operation on a file that may be missing. */
export function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Creates an empty file that its owner alone can read and write, unless there is one. */
export async function createPrivately(path: string): Promise<void> {
  await (await open(path, "a", 0o600)).close();
}
