// Builds the files of a release from a copy of the sources with the new versions. Archives of the same sources and date
// are equal byte by byte.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { buildClient } from "../client/client-package.ts";
import { root } from "../services/wrangler.ts";
import type { Release } from "./changes.ts";
import { writeVersions } from "./versions.ts";

/** The image of the engines, and the one of the service, which extends it. */
const IMAGES = ["container/Dockerfile", "host/Dockerfile"];
/** Outputs of builds, which the images and the client build themselves; and the tests of engines. */
const LEFT_OUT = /^(site|wasm|container|client)\/dist$|^container\/engines\/\w+\/test$|(^|\/)node_modules$/;
const MAX_BYTES = 64 * 2 ** 20;

export const namesOf = ({ versions }: Pick<Release, "versions">) => ({
  client: `pagewright-client-${versions.client}.tgz`,
  chart: `pagewright-chart-${versions.service}.tgz`,
  context: `pagewright-image-${versions.service}.tar.gz`,
  bill: `pagewright-${versions.service}.cdx.json`,
  notes: "notes.md",
  sums: "SHA256SUMS",
});

/**
 * Writes the client, the chart, the context of the images, the software bill of materials, the notes and the checksums.
 * @param folder is emptied first
 */
export function buildArtifacts(release: Release, folder: string): void {
  const { versions, released, date } = release;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const names = namesOf(release);
  const temporary = mkdtempSync(join(tmpdir(), "pagewright-release-"));
  // npm takes the name in the bill of materials from the folder.
  const stage = join(temporary, "pagewright");
  try {
    const context = copySources(stage);
    writeVersions(stage, versions, released.includes("service") ? date : undefined);
    buildClient(stage);
    // The build above is that of the package's own script, which npm skips where it is configured to.
    run(stage, "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, "./client");
    archive(join(folder, names.chart), date, [
      `--directory=${stage}/deploy`,
      "--transform=s,^chart,pagewright,",
      "--exclude=chart/ci",
      "chart",
    ]);
    archive(join(folder, names.context), date, [`--directory=${stage}`, "--exclude=client/generated", ...context]);
    writeFileSync(join(folder, names.bill), billOf(stage));
  } finally {
    rmSync(temporary, { recursive: true });
  }
  writeFileSync(join(folder, names.notes), `# ${release.title}\n\n${release.notes}\n`);
  const sums = readdirSync(folder).map((name) => {
    const digest = createHash("sha256").update(readFileSync(join(folder, name)));
    return `${digest.digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(folder, names.sums), sums.join(""));
}

/** Returns the paths that builds of images copy from their context. A pattern stands for its folder. */
export function contextPaths(dockerfile: string): readonly string[] {
  const lines = dockerfile.replaceAll("\\\n", " ").matchAll(/^COPY (?!--from)(.+)$/gm);
  return [...lines]
    .flatMap(([, text]) => text!.trim().split(/\s+/).slice(0, -1))
    .map((path) => path.replace(/\/\*.*$/, ""));
}

/** Copies what the files of a release are made from. Returns the paths of the images' context. */
function copySources(stage: string): readonly string[] {
  const copied = IMAGES.flatMap((file) => contextPaths(readFileSync(join(root, file), "utf8")));
  const wanted = new Set([...copied, ...IMAGES, ".dockerignore", "LICENSE"]);
  const isPart = (path: string) => ![...wanted].some((one) => path !== one && path.startsWith(`${one}/`));
  const context = [...wanted].filter(isPart).toSorted();
  for (const path of [...context, "client", "deploy/chart", "tsconfig.json"]) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    const filter = (source: string) => !LEFT_OUT.test(relative(root, source));
    cpSync(join(root, path), join(stage, path), { recursive: true, filter });
  }
  symlinkSync(join(root, "node_modules"), join(stage, "node_modules"));
  return context;
}

function archive(file: string, date: string, args: readonly string[]): void {
  const same = [
    "--sort=name",
    `--mtime=${date} 00:00Z`,
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=go=rX,u+w",
  ];
  run(root, "tar", "--create", "--gzip", `--file=${file}`, ...same, ...args);
}

/**
 * Lists the npm packages of the service. The image has a bill of its own, with its Debian packages. As in that
 * (container/write-sbom.ts), `--omit dev` would omit packages that both the service and its development need.
 */
function billOf(stage: string): string {
  const bill = JSON.parse(run(stage, "npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only")) as {
    readonly components: readonly { readonly properties?: readonly { readonly name: string }[] }[];
  };
  const isUsed = ({ name }: { readonly name: string }) => name !== "cdx:npm:package:development";
  const components = bill.components.filter(({ properties = [] }) => properties.every(isUsed));
  return `${JSON.stringify({ ...bill, components }, undefined, 2)}\n`;
}

function run(cwd: string, program: string, ...args: string[]): string {
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  return execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: MAX_BYTES, stdio });
}
