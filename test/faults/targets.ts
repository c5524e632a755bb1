// Every kind of process that is killed and stopped, with the jobs that run during the fault.

import type { ContainerEngine } from "./container-samples.ts";
import type { KnownProcess } from "./process-kinds.ts";

export type FaultSignal = "SIGKILL" | "SIGSTOP";

export interface Target {
  readonly name: string;
  /** Engines under load; each round uses the next engine. */
  readonly engines: readonly ContainerEngine[];
  /** The kind of process in the tree. */
  readonly kind: string;
  /** Selects one of several processes in the order of user and process ID. @default a random one */
  readonly place?: number;
  /**
   * Receiver of the jobs. If the server itself ends, only the Worker can retry the jobs. @default the container itself
   */
  readonly through?: "worker";
  /** True if the service can lack such a process. @default false */
  readonly isOptional?: boolean;
  /** True if the service ends with the process that started it. @default false */
  readonly endsService?: boolean;
  /** True if a stopped process of this kind is not ended, and the service works without it. @default false */
  readonly staysFrozen?: boolean;
  /**
   * Signals that are tested. Killing `supervise.pl` ends the service: in the image it is the first process, and the
   * container ends with it. @default both
   */
  readonly signals?: readonly FaultSignal[];
}

const ALL: readonly ContainerEngine[] = ["html", "office", "postscript", "pdfa", "threads"];

/**
 * All targets. Single threads can be neither killed nor stopped, because a signal affects their whole process
 * (signal(7)). They are hit together with the server: once with jobs of all engines, and once with jobs of threads
 * only.
 */
export const TARGETS: readonly Target[] = [
  { name: "chromium-browser", engines: ["html"], kind: "chromium-browser" },
  { name: "chromium-plain-zygote", engines: ["html"], kind: "chromium-plain-zygote" },
  { name: "chromium-zygote", engines: ["html"], kind: "chromium-zygote" },
  { name: "chromium-inner-zygote", engines: ["html"], kind: "chromium-inner-zygote" },
  { name: "chromium-gpu", engines: ["html"], kind: "chromium-gpu" },
  { name: "chromium-network", engines: ["html"], kind: "chromium-network" },
  { name: "chromium-utility", engines: ["html"], kind: "chromium-utility", isOptional: true },
  { name: "chromium-renderer", engines: ["html"], kind: "chromium-renderer" },
  { name: "libreoffice-zygote", engines: ["office"], kind: "libreoffice-zygote" },
  { name: "libreoffice-child", engines: ["office"], kind: "libreoffice-child" },
  { name: "ghostscript-zygote", engines: ["postscript"], kind: "ghostscript-zygote" },
  { name: "ghostscript-child", engines: ["postscript"], kind: "ghostscript-child" },
  { name: "ghostscript-plain", engines: ["rewrite"], kind: "ghostscript-plain" },
  { name: "verapdf-first", engines: ["pdfa"], kind: "verapdf", place: 0 },
  { name: "verapdf-second", engines: ["pdfa"], kind: "verapdf", place: 1 },
  { name: "threads", engines: ["threads"], kind: "server", through: "worker" },
  { name: "server", engines: ALL, kind: "server", through: "worker" },
  { name: "supervisor", engines: ALL, kind: "supervisor", through: "worker", staysFrozen: true, signals: ["SIGSTOP"] },
  { name: "host", engines: ALL, kind: "host", through: "worker", staysFrozen: true, endsService: true },
];

/** Returns the processes that can be hit. */
export function candidatesOf({ kind, place }: Target, processes: readonly KnownProcess[]): readonly KnownProcess[] {
  const found = processes
    .filter((process) => process.kind === kind && process.state !== "T")
    .toSorted((one, other) => one.user - other.user || one.pid - other.pid);
  return place === undefined ? found : found.slice(place, place + 1);
}
