// Bundles the workbench for the browser. Writes the page and its samples as one module, which the service imports in
// workerd and in Node.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { sampleDocx } from "./samples/docx.ts";
import { samplePdf } from "./samples/pdf.ts";

const HERE = import.meta.dirname;
const ROOT = join(HERE, "..");
const DIST = join(HERE, "dist");
/** Maximum size of the script that the first view loads, in bytes after gzip. */
const SCRIPT_LIMIT = 60 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".pdf": "application/pdf",
  ".svg": "image/svg+xml",
};

interface BuiltFile {
  /** Path relative to the base URL of the service. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

const { scripts, sources } = await bundle();
const files: BuiltFile[] = [
  ...scripts,
  ...(await Promise.all(
    ["index.html", "icon.svg"].map(async (name) => ({
      path: `workbench/${name}`,
      bytes: await readFile(join(HERE, "workbench", name)),
    })),
  )),
  { path: "workbench/style.css", bytes: await style() },
  { path: "workbench/harbor.html", bytes: await readFile(join(HERE, "samples/harbor.html")) },
  { path: "workbench/invitation.docx", bytes: sampleDocx() },
  { path: "workbench/field-notes.pdf", bytes: await samplePdf() },
];
const modules = files.map((file) => `  ${JSON.stringify(file.path)}: ${JSON.stringify(described(file))},\n`);
await rm(DIST, { recursive: true, force: true });
await mkdir(DIST, { recursive: true });
await writeFile(join(DIST, "files.js"), `export const files = {\n${modules.join("")}};\n`);
// bootstrap.mjs reads this file: it builds again when a source has changed or an output is missing.
await writeFile(join(DIST, "sources.json"), JSON.stringify({ files: sources, outputs: ["files.js"] }));

async function style(): Promise<Uint8Array> {
  const parts = ["base", "files", "steps", "figures"].map((name) =>
    readFile(join(HERE, `workbench/style/${name}.css`)),
  );
  return Buffer.concat(await Promise.all(parts));
}

/** Bundles the main script, and the modules that it loads on demand. */
async function bundle(): Promise<{ scripts: BuiltFile[]; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["site/workbench/main.tsx"],
    outdir: "workbench",
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    splitting: true,
    format: "esm",
    target: ["chrome111", "firefox115", "safari16.4"],
    chunkNames: "[name]",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
  });
  const scripts = outputFiles.map(({ path, contents }) => ({ path: `workbench/${basename(path)}`, bytes: contents }));
  const first = metafile.outputs["workbench/main.js"]!;
  const loaded = [
    "workbench/main.js",
    ...first.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path),
  ];
  const bytes = scripts
    .filter(({ path }) => loaded.includes(path))
    .reduce((sum, script) => sum + gzipSync(script.bytes).length, 0);
  const size = `${(bytes / 1024).toFixed(1)} KiB after gzip, limit ${SCRIPT_LIMIT / 1024}`;
  if (bytes > SCRIPT_LIMIT) throw new Error(`The script of the workbench has ${size}.`);
  console.log(`Script of the workbench: ${size}.`);
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules/"));
  return { scripts, sources: [...new Set([...inputs, ...(await ownFiles())])].toSorted() };
}

async function ownFiles(): Promise<string[]> {
  const entries = await readdir(HERE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith("site/dist/"));
}

function described({ path, bytes }: BuiltFile): Record<string, string> {
  const extension = extname(path);
  const type = TYPES[extension]!;
  const etag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const content = Buffer.from(bytes);
  const isText = type.includes("charset") || extension === ".svg";
  return { type, etag, ...(isText ? { text: content.toString("utf8") } : { base64: content.toString("base64") }) };
}
