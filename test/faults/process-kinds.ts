// Distinguishes the processes of the service by their position in the tree and their command line.

import { type ProcessInfo, processesBelow } from "./process-table.ts";

export interface KnownProcess extends ProcessInfo {
  readonly kind: string;
}

/** Returns all processes of a service with their kinds. @param host the root of its tree */
export function knownProcesses(host: number): KnownProcess[] {
  const kinds = new Map<number, string>();
  return processesBelow(host).map((info) => {
    const kind = kindOf(info, kinds.get(info.parent) ?? "");
    kinds.set(info.pid, kind);
    return { ...info, kind };
  });
}

/** Kinds whose processes start and end with jobs, and with an engine's preparation for jobs. */
export const PASSING_KINDS: ReadonlySet<string> = new Set([
  "chromium-renderer",
  "chromium-utility",
  "libreoffice-child",
  "ghostscript-child",
  "ghostscript-plain",
  "starting",
  "other",
]);

function kindOf({ command, state }: ProcessInfo, parentKind: string): string {
  if (state === "Z") return "zombie";
  if (command.includes("/container-host.ts")) return "host";
  if (command.includes("/supervise.pl")) return "supervisor";
  // A new process of the server has the server's command line until it executes another program.
  if (command.includes("/container/server.ts")) return parentKind === "server" ? "starting" : "server";
  const program = command.split(" ", 1)[0]!;
  if (program.startsWith("/usr/lib/chromium/")) return chromiumKind(command, parentKind);
  if (program.endsWith("/container/dist/zygote")) return forked("libreoffice", parentKind);
  if (program.endsWith("/container/dist/ghostscript-zygote")) return forked("ghostscript", parentKind);
  if (program.endsWith("/java")) return "verapdf";
  if (program === "gs" || program.endsWith("/gs")) return "ghostscript-plain";
  if (/\/(soffice\.bin|oosplash)$/.test(program)) return "libreoffice-child";
  return /^(setpriv|prlimit|unshare|choom|perl)$/.test(program.split("/").at(-1)!) ? "starting" : "other";
}

/** Distinguishes a zygote from its child, which has the same command line. */
function forked(engine: string, parentKind: string): string {
  return parentKind === `${engine}-zygote` ? `${engine}-child` : `${engine}-zygote`;
}

const CHROMIUM_TYPES: Readonly<Record<string, string>> = {
  "gpu-process": "chromium-gpu",
  renderer: "chromium-renderer",
  utility: "chromium-utility",
};

/**
 * Returns the kind of a Chromium process. The zygote of sandboxed processes is two processes: one that creates a
 * namespace, and the first process inside the namespace, which forks the renderers. A renderer has the command line of
 * its zygote until it sets its own name.
 */
function chromiumKind(command: string, parentKind: string): string {
  if (command.includes("network.mojom.NetworkService")) return "chromium-network";
  const type = /--type=([a-z-]+)/.exec(command)?.[1];
  if (type === undefined) return "chromium-browser";
  if (type !== "zygote") return CHROMIUM_TYPES[type] ?? "other";
  if (parentKind === "chromium-plain-zygote") return "starting";
  if (command.includes("--no-zygote-sandbox")) return "chromium-plain-zygote";
  if (parentKind === "chromium-zygote") return "chromium-inner-zygote";
  return parentKind === "chromium-inner-zygote" ? "chromium-renderer" : "chromium-zygote";
}
