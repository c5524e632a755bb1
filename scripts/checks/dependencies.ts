// Checks the service's npm packages for known vulnerabilities, and checks their licenses.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../services/wrangler.ts";

/** Licenses that are compatible with AGPL-3.0-or-later, the project's license. */
const ALLOWED: ReadonlySet<string> = new Set([
  "0BSD",
  "AGPL-3.0",
  "AGPL-3.0-only",
  "AGPL-3.0-or-later",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "ISC",
  "LGPL-3.0",
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
]);
/** Severities that fail the check. */
const SEVERE = ["high", "critical"] as const;
const AUDIT_TIMEOUT_MS = 60_000;

interface Locked {
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly license?: string;
  readonly version?: string;
}

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
}

/** @returns the text to print after "ok" @throws Error if a package has no license, or a license that is not allowed */
export function checkLicenses(lock = readFileSync(join(root, "package-lock.json"), "utf8")): string {
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> };
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  const refused = production.filter(([, { license = "" }]) => !isAllowed(license));
  const lines = refused.map(
    ([path, { license }]) => `${path.replace(/^.*node_modules\//, "")}: ${license ?? "none told"}`,
  );
  if (refused.length > 0) throw new Error(`Licenses that are not allowed:\n${lines.join("\n")}`);
  return `${production.length} packages`;
}

/** Parses SPDX expressions with OR and AND, without nested parentheses. */
function isAllowed(expression: string): boolean {
  const text = expression.replace(/^\((.*)\)$/, "$1");
  return text.split(" OR ").some((all) => all.split(" AND ").every((license) => ALLOWED.has(license.trim())));
}

/**
 * Asks npm's configured registry for known vulnerabilities.
 * @returns the text to print after "ok"; it says so if the registry has no audit
 * @throws Error if a package has a severe vulnerability
 */
export async function checkVulnerabilities(ask: () => Promise<string> = audit): Promise<string> {
  const { metadata, vulnerabilities = {} } = parsed(await ask());
  if (!metadata) return "not checked: the registry does not answer questions about vulnerabilities";
  const severe = Object.entries(vulnerabilities).filter(([, { severity }]) => SEVERE.some((one) => one === severity));
  if (severe.length === 0) return "none that is severe";
  throw new Error(`Vulnerable: ${severe.map(([name, { severity }]) => `${name} (${severity})`).join(", ")}`);
}

function parsed(text: string): AuditReport {
  try {
    return JSON.parse(text) as AuditReport;
  } catch {
    return {};
  }
}

/** Returns the output of `npm audit`, regardless of its exit code: npm exits with 1 if it finds a vulnerability. */
function audit(): Promise<string> {
  return new Promise((resolve) => {
    const args = ["audit", "--omit=dev", "--json"];
    const options = { cwd: root, timeout: AUDIT_TIMEOUT_MS, maxBuffer: 2 ** 26 };
    execFile("npm", args, options, (_error, stdout) => resolve(stdout));
  });
}
