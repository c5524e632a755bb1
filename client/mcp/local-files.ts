// MCP tools for local files. They can access only one folder, and replace an existing file only with `replace: true`.
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Pagewright } from "../core/pagewright.ts";

type Given = Readonly<Record<string, unknown>>;

interface Call {
  readonly pw: Pagewright;
  /** Path of the accessible folder, with all symbolic links resolved. */
  readonly root: string;
  readonly signal: AbortSignal;
}

export const LOCAL_INSTRUCTIONS = (root: string): string =>
  "Files of this machine need no create_upload: upload_file stores one and returns its id, and save_file saves one. " +
  `Both work below ${root} only, and not on hidden files.`;

export async function uploadFile({ path }: Given, { pw, root, signal }: Call): Promise<CallToolResult> {
  const given = textIn("path", path);
  const resolved = await resolvePath(given, root);
  // Rejects pipes, because opening a pipe would block.
  if ((await stat(resolved).catch(() => undefined))?.isFile() === false) throw new Error(`${given} is not a file.`);
  const { id } = await pw.upload(resolved, { signal });
  return textResult({ id, name: basename(given) });
}

export async function saveFile(
  { file, path, replace = false }: Given,
  { pw, root, signal }: Call,
): Promise<CallToolResult> {
  const id = /[12][\da-f]{8}-[\da-f-]{27}/.exec(textIn("file", file))?.[0];
  if (id === undefined) throw new Error("`file` must be the ID or the URL of a stored file.");
  if (typeof replace !== "boolean") throw new Error("`replace` must be true or false.");
  const given = textIn("path", path);
  const stored = pw.stored(id);
  const resolved = await resolvePath(given, root);
  const isFolder = /[/\\]$/.test(given) || (await lstat(resolved).catch(() => undefined))?.isDirectory();
  const target = isFolder
    ? await resolvePath(join(resolved, basename((await stored.info({ signal })).name)), root)
    : resolved;
  // `lstat`, because a symbolic link is an existing file even if its target does not exist.
  const isTaken = (await lstat(target).catch(() => undefined)) !== undefined;
  if (isTaken && !replace)
    throw new Error(`${target} already exists. To replace it, call save_file with replace: true.`);
  return textResult({ path: await stored.save(target, { signal }) });
}

/**
 * Resolves the symbolic links of a path.
 * @param given a path that is relative to the root, or absolute
 * @throws Error if the path is outside the root, or hidden: programs execute hidden files, or store secrets in them
 */
async function resolvePath(given: string, root: string): Promise<string> {
  const resolved = await real(resolve(root, given));
  const way = relative(root, resolved);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new Error(`${given} is not below ${root}. The user can allow another folder: pagewright mcp --root FOLDER.`);
  }
  if (way.split(sep).some((part) => part.startsWith("."))) {
    throw new Error(`${given} is hidden, or in a hidden folder: name a file without a dot at its beginning.`);
  }
  return resolved;
}

/** Resolves the symbolic links of a path. Its last segments need not exist. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // The target of a dangling link cannot be resolved, and writing to the link would create a file there.
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    if (isLink) throw new Error(`${path} is a symbolic link whose target does not exist.`);
    return dirname(path) === path ? path : join(await real(dirname(path)), basename(path));
  }
}

const textResult = (facts: Record<string, string>): CallToolResult => {
  return { content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: facts };
};

function textIn(name: string, value: unknown): string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  throw new Error(`\`${name}\` must be a string.`);
}

const text = (description: string) => ({ type: "string", description });

export const LOCAL_TOOLS: readonly Tool[] = [
  {
    name: "upload_file",
    description:
      "Stores a file of this machine at the service, and returns its id, which other tools take as an input.",
    inputSchema: { type: "object", properties: { path: text("Path of the file.") }, required: ["path"] },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  {
    name: "save_file",
    description: "Saves a stored file on this machine. It replaces a file only if replace is true.",
    inputSchema: {
      type: "object",
      properties: {
        file: text("Id or address of the stored file."),
        path: text("Path of the file, or of a folder that exists or ends with a slash."),
        replace: { type: "boolean", description: "Whether a file of this path is replaced.", default: false },
      },
      required: ["file", "path"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
];
