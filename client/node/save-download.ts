// Saves downloads atomically: writes a temporary file in the same folder, and renames it at the end.
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Download } from "../core/download.ts";
import { PagewrightError } from "../core/error.ts";

/**
 * @param path path of the file, or a folder: a path that is an existing folder, or ends with a slash
 * @throws PagewrightError if the file cannot be written
 */
export async function saveDownload({ name, body }: Download, path: string): Promise<string> {
  const target = (await isFolder(path)) ? join(path, basename(name)) : path;
  const unfinished = join(dirname(target), `.${randomUUID()}.part`);
  try {
    await mkdir(dirname(target), { recursive: true });
    const file = await open(unfinished, "wx");
    try {
      // `appendFile` writes the whole chunk; `write` might write only a part.
      for await (const chunk of body) await file.appendFile(chunk);
    } finally {
      await file.close();
    }
    await rename(unfinished, target);
  } catch (error) {
    await Promise.allSettled([body.cancel(), rm(unfinished, { force: true })]);
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : notWritten(target, error);
  }
  return target;
}

function notWritten(path: string, cause: unknown): PagewrightError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? `the system says ${code}`;
  return new PagewrightError(0, `${path} cannot be written: ${reason}.`, { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EEXIST: "its folder is a file",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "its folder cannot be made",
  ENOSPC: "the disk is full",
  ENOTDIR: "its folder is a file",
  EROFS: "its disk is read-only",
};

async function isFolder(path: string): Promise<boolean> {
  if (/[/\\]$/.test(path)) return true;
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
