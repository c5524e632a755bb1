// Restricts a folder to one process at a time. The process locks a SQLite database in the folder; the kernel releases
// the lock when the process exits for any reason.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { createPrivately } from "./durable.ts";

/**
 * Number of attempts to lock the folder. The previous process might still finish requests while the next one starts.
 */
const ATTEMPTS = 25;
const PAUSE_MS = 200;
const SQLITE_BUSY = 5;

/** @throws Error with a message for the operator if another process holds the lock, or the folder is not writable */
export async function lockFolder(folder: string): Promise<Disposable> {
  const database = await openDatabase(folder);
  for (let attempt = 1; ; attempt++) {
    try {
      database.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
      return { [Symbol.dispose]: () => database.close() };
    } catch (error) {
      const isInUse = (error as { errcode?: number }).errcode === SQLITE_BUSY;
      if (isInUse && attempt < ATTEMPTS) {
        await wait(PAUSE_MS);
        continue;
      }
      database.close();
      throw isInUse
        ? new Error(`The folder ${folder} is in use by another process: stop it, or set another DATA_DIR.`, {
            cause: error,
          })
        : unusable(folder, error);
    }
  }
}

async function openDatabase(folder: string): Promise<DatabaseSync> {
  try {
    const path = join(folder, "owner.db");
    await createPrivately(path);
    return new DatabaseSync(path);
  } catch (error) {
    throw unusable(folder, error);
  }
}

const unusable = (folder: string, error: unknown): Error =>
  new Error(`The folder ${folder} cannot be used: ${(error as Error).message}.`, { cause: error });
