// Lists the Debian packages that the project uses, by purpose, and installs them.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Other programs that the tests use to verify the service's results. */
export const TEST_PACKAGES: readonly string[] = [
  "7zip",
  "curl",
  "default-jre-headless",
  "ghostscript",
  "haproxy",
  "libarchive-tools",
  "libimage-exiftool-perl",
  "libjpeg-turbo-progs",
  "libtiff-tools",
  "maven",
  "mupdf-tools",
  "netpbm",
  "php-cli",
  "php-curl",
  "pngcheck",
  "poppler-utils",
  "postgresql",
  "python3",
  "python3-venv",
  "qpdf",
  "unzip",
];

/** Settings of Debian's PostgreSQL. Tests start servers of their own: none runs on the machine after the installation. */
const CLUSTER_SETTINGS = "/etc/postgresql-common/createcluster.d";

/**
 * Installs missing packages. Prints nothing if none is missing.
 * @throws Error whose message contains the command to run
 */
export function installPackages(wanted: readonly string[], purpose: string): void {
  const missing = missingPackages(wanted);
  if (missing === undefined) {
    console.log(
      `This is not a Debian system. Make the programs of these packages available on the path: ${wanted.join(", ")}.`,
    );
    return;
  }
  if (missing.length === 0) return;
  const names = missing.join(" ");
  if (process.getuid?.() !== 0) {
    throw new Error(
      `Debian packages are missing for ${purpose}. Install them as root:\n` +
        `  apt-get install --no-install-recommends ${names}`,
    );
  }
  console.log(`Installing Debian packages for ${purpose}: ${names}…`);
  if (missing.includes("postgresql")) {
    mkdirSync(CLUSTER_SETTINGS, { recursive: true });
    writeFileSync(join(CLUSTER_SETTINGS, "pagewright.conf"), "create_main_cluster = false\n");
  }
  // If a package list names versions that the mirror has deleted, the installation fails. Then updates the lists and
  // retries once.
  if (haveLists() && apt("install", ...missing).ok) return;
  const update = apt("update");
  const install = apt("install", ...missing);
  if (!install.ok) {
    const output = `${update.ok ? "" : update.output}${install.output}`.trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(`${output}\nThe Debian packages could not be installed: ${names}`);
  }
}

/** @returns undefined if dpkg is not available */
function missingPackages(wanted: readonly string[]): string[] | undefined {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
  const format = "${Package} ${db:Status-Status}\n";
  const query = spawnSync("dpkg-query", ["-W", "-f", format, ...wanted], { encoding: "utf8" });
  if (query.error) return undefined;
  const installed = new Set(
    query.stdout.split("\n").flatMap((line) => {
      const [name, status] = line.split(" ");
      return status === "installed" ? [name] : [];
    }),
  );
  return wanted.filter((name) => !installed.has(name));
}

function haveLists(): boolean {
  try {
    return readdirSync("/var/lib/apt/lists").some((name) => name.includes("_Packages"));
  } catch {
    return false;
  }
}

function apt(command: "install" | "update", ...names: string[]): { ok: boolean; output: string } {
  const options = ["-y", "-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  if (command === "install") options.push("--no-install-recommends");
  const { status, stdout, stderr } = spawnSync("apt-get", [command, ...options, ...names], {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}
