// Functions for durable folder changes, private files and missing files.

import { open } from "node:fs/promises";

/** Syncs a folder, so that a power loss does not lose its entries. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Syncs folders for concurrent writers. All calls during a running sync share the next sync of the same folder. */
export class FolderSyncs {
  readonly #running = new Map<string, { readonly ended: Promise<void>; next: Promise<void> | undefined }>();

  /** Makes all current entries of a folder durable. */
  sync(path: string): Promise<void> {
    const running = this.#running.get(path);
    // A running sync might not include the latest entries, so the call needs the next one.
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

/** Error handler for a file that can be missing. */
export function ignoreNotFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Creates an empty file that only its owner can access, unless the file exists. */
export async function createPrivately(path: string): Promise<void> {
  await (await open(path, "a", 0o600)).close();
}
