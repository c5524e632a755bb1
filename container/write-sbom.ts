// Writes the software bill of materials of this machine, in CycloneDX 1.5. It lists the service's npm packages, Node,
// the Debian packages with engines and fonts, the font from PyPI, and the jars of veraPDF and Mustang. Runs at the end of the image's
// build.
// Usage: node container/write-sbom.ts <file>

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { INSTALLATION } from "./engines/libreoffice/profile.ts";

interface Component {
  readonly type: "application" | "library" | "data";
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** The fields of npm's output that this file uses. All other fields are copied unchanged. */
interface Bill {
  readonly components: readonly Component[];
}

const MAX_BYTES = 64 * 2 ** 20;
const root = join(import.meta.dirname, "..");
const [, , file] = process.argv;
if (!file) {
  console.error("Usage: node container/write-sbom.ts <file>");
  process.exit(1);
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: MAX_BYTES });

// Without `--omit dev`, which would also omit packages that both the service and its development need.
const bill = JSON.parse(run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only")) as Bill;
const components = [...bill.components.filter(isUsed), node(), ...debianPackages(), ...pythonPackages(), ...jars()];
writeFileSync(file, `${JSON.stringify({ ...bill, components }, undefined, 2)}\n`);
process.stdout.write(`${file}: ${components.length} components\n`);

function isUsed({ properties = [] }: Component): boolean {
  return !properties.some(({ name, value }) => name === "cdx:npm:package:development" && value === "true");
}

function node(): Component {
  const version = process.version.slice(1);
  return { type: "application", name: "node", version, purl: `pkg:generic/node@${version}` };
}

/**
 * Returns the installed packages, and those of LibreOffice's own folder (debian-13.sh). Fonts are data, recognized by
 * the section of their package.
 */
function debianPackages(): Component[] {
  const format = "$" + "{db:Status-Status}\t$" + "{Section}\t$" + "{Package}\t$" + "{Version}\t$" + "{Architecture}\n";
  const list = join(INSTALLATION, "packages");
  const unpacked = existsSync(list) ? readFileSync(list, "utf8") : "";
  const lines = `${run("dpkg-query", "--show", `--showformat=${format}`)}${unpacked}`.trimEnd().split("\n");
  return lines.flatMap((line): Component[] => {
    const [status, section, name, version, architecture] = line.split("\t") as [string, string, string, string, string];
    if (status !== "installed") return [];
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
    return [{ type: section.endsWith("fonts") ? "data" : "library", name, version, purl }];
  });
}

function pythonPackages(): Component[] {
  const lines = readFileSync(join(import.meta.dirname, "fonts/requirements.txt"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.flatMap((line): Component[] => {
    const [, name, version] = /^(\S+)==(\S+)/.exec(line) ?? [];
    return name && version ? [{ type: "data", name, version, purl: `pkg:pypi/${name}@${version}` }] : [];
  });
}

function jars(): Component[] {
  const engines = ["verapdf", "mustang"].map((engine) => join(import.meta.dirname, "dist", engine));
  // An image without engines lacks them.
  const folders = engines.filter(existsSync);
  const names = new Set(folders.flatMap((folder) => readdirSync(folder)).filter((name) => name.endsWith(".jar")));
  return [...names].flatMap((jar): Component[] => {
    const [, name, version] = /^(.+?)-(\d.*)\.jar$/.exec(jar) ?? [];
    return name && version ? [{ type: "library", name, version }] : [];
  });
}
