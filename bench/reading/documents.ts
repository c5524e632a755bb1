// The documents of `npm run bench:text`: sources in Debian packages, listed in documents.tsv, which are downloaded,
// printed and kept in a folder. A document whose printed words differ from its source does not count.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { agrees } from "./agreement.ts";
import { hashOf, type Kind, Printer } from "./print.ts";

export interface ReadDocument {
  /** Kind, package and path of the source. */
  readonly name: string;
  readonly kind: Kind;
  /** Only documents of the half `tune` can serve to improve the engine. */
  readonly half: "tune" | "held";
  readonly pdf: string;
  /** File with the blocks of the source (truth.ts). */
  readonly truth: string;
  readonly pages: number;
}

interface Listed extends Pick<ReadDocument, "name" | "kind"> {
  readonly package: string;
  /** Path in the package, below its documentation. */
  readonly path: string;
}

/** Debian packages with the programs that print LaTeX. */
export const LATEX_PACKAGES: readonly string[] = [
  "cm-super",
  "lmodern",
  "texlive-bibtex-extra",
  "texlive-fonts-recommended",
  "texlive-humanities",
  "texlive-lang-european",
  "texlive-lang-french",
  "texlive-lang-german",
  "texlive-lang-italian",
  "texlive-lang-polish",
  "texlive-lang-portuguese",
  "texlive-lang-spanish",
  "texlive-latex-base",
  "texlive-latex-extra",
  "texlive-latex-recommended",
  "texlive-plain-generic",
  "texlive-publishers",
  "texlive-science",
];

const DOCUMENTATION = "usr/share/doc";
const PRINTERS = 2;
const LONGEST_MS = 300_000;
const run = promisify(execFile);

/**
 * Returns the documents, and prints those that the folder lacks.
 * @param pandoc path of the program
 * @param kinds kinds of documents. @default all
 * @param lists names of the lists
 */
export async function readDocuments(
  folder: string,
  pandoc: string,
  { kinds, lists = ["documents"] }: { readonly kinds?: readonly Kind[]; readonly lists?: readonly string[] } = {},
): Promise<ReadDocument[]> {
  const listed = lists
    .flatMap((list) =>
      readFileSync(join(import.meta.dirname, `${list}.tsv`), "utf8")
        .trimEnd()
        .split("\n"),
    )
    .map((line): Listed => {
      const [kind, name, path] = line.split("\t") as [Kind, string, string];
      return { name: `${kind}/${name}/${path}`, kind, package: name, path };
    })
    .filter(({ kind }) => !kinds || kinds.includes(kind));
  for (const name of new Set(listed.map((one) => one.package))) await download(name, folder);
  const rest = listed.filter((one) => !existsSync(`${placeOf(one, folder)}.json`));
  if (rest.length > 0) console.log(`Printing ${rest.length} documents…`);
  await Promise.all(Array.from({ length: PRINTERS }, () => printAll(rest, folder, pandoc)));
  const documents = (await Promise.all(listed.map((one) => printed(one, folder)))).flat();
  console.log(
    `${documents.length} documents; ${listed.length - documents.length} others do not print as their source.`,
  );
  return documents;
}

const placeOf = ({ name }: Listed, folder: string): string =>
  join(folder, "documents", `${hashOf(name).toString(16).padStart(8, "0")}-${basename(name).replace(/\W/g, "_")}`);

/** Downloads a package and unpacks it. Its documents are missing if the distribution does not have it. */
async function download(name: string, folder: string): Promise<void> {
  const unpacked = join(folder, "packages", name);
  if (existsSync(unpacked)) return;
  const scratch = join(folder, "downloads", name);
  for (const needed of [scratch, join(folder, "packages")]) mkdirSync(needed, { recursive: true });
  try {
    await run("apt-get", ["download", "-q", name], { cwd: scratch, timeout: LONGEST_MS });
    await run("sh", ["-c", 'dpkg-deb -x *.deb "$0"', unpacked], { cwd: scratch, timeout: LONGEST_MS });
  } catch (error) {
    console.log(`${name} is not available: ${(error as Error).message.trim().split("\n").at(-1)}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Prints documents until none is left. Writes the truth, or null if the document does not count. */
async function printAll(rest: Listed[], folder: string, pandoc: string): Promise<void> {
  const printer = new Printer(pandoc);
  try {
    for (let one = rest.shift(); one; one = rest.shift()) {
      const place = placeOf(one, folder);
      const source = join(folder, "packages", one.package, DOCUMENTATION, one.path);
      const blocks = await printer.print(source, one.kind, `${place}.pdf`).catch(() => []);
      const counts = blocks.length > 0 && (await agrees(blocks, `${place}.pdf`));
      writeFileSync(`${place}.json`, JSON.stringify(counts ? blocks : null));
    }
  } finally {
    await printer.close();
  }
}

async function printed(one: Listed, folder: string): Promise<ReadDocument[]> {
  const place = placeOf(one, folder);
  if (readFileSync(`${place}.json`, "utf8") === "null") return [];
  const { stdout } = await run("pdfinfo", [`${place}.pdf`], { timeout: LONGEST_MS });
  const pages = Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1]);
  const half = hashOf(one.name) % 2 === 0 ? "tune" : "held";
  return [{ name: one.name, kind: one.kind, half, pdf: `${place}.pdf`, truth: `${place}.json`, pages }];
}
