// Opens a file by path, and reads it in chunks.
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { PagewrightError } from "../core/error.ts";
import type { LocalFile } from "../core/inputs.ts";

/** @throws PagewrightError if the path is not a readable file */
export async function openHandle(path: string): Promise<FileHandle> {
  const handle = await open(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw unreadable(path, new Error("it is a folder"));
}

/** @throws PagewrightError if the path is not a readable file */
export async function openPath(path: string | URL): Promise<LocalFile> {
  const name = path instanceof URL || path.startsWith("file:") ? fileURLToPath(path) : path;
  const handle = await openHandle(name);
  const facts = await handle.stat();
  return {
    name: basename(name),
    // A pipe has no size.
    sizeBytes: facts.isFile() ? facts.size : undefined,
    async read(start, end) {
      const piece = new Uint8Array(end - start);
      let filled = 0;
      while (filled < piece.length) {
        const position = facts.isFile() ? start + filled : null;
        const { bytesRead } = await handle.read(piece, filled, piece.length - filled, position);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return piece.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}

function unreadable(path: string, cause: unknown): PagewrightError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = code === "ENOENT" ? "it does not exist" : code === "EACCES" ? "permission is denied" : message;
  return new PagewrightError(0, `${path} cannot be read: ${reason}.`, { cause });
}
