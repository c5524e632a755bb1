// `npm run test:faults`: kills and freezes processes of the service during many jobs and under load, and checks the
// responses. At full size, it takes hours; it is not part of `npm test`. One part can run with other counts and cases:
// `npm run test:faults -- kill --rounds 100 --only chromium --seed 7`. The file of each part documents its flags.
// Prints one line per part, and exits with 1 if any result is wrong.

import { parseArgs } from "node:util";
import type { FaultOptions, Run } from "../test/faults/suite.ts";
import { installEngines } from "./services/container-process.ts";

/** Parts by name, with their additional flags. */
const PARTS: Readonly<Record<string, { readonly flags: readonly string[]; load(): Promise<{ run: Run }> }>> = {
  kill: {
    flags: ["rounds", "recover-ms", "give-up-ms", "clients", "signals", "double-every", "most-failures"],
    load: () => import("../test/faults/kill-and-freeze.ts"),
  },
  mixed: { flags: ["jobs", "clients"], load: () => import("../test/faults/mixed-jobs.ts") },
  hostile: { flags: ["answers"], load: () => import("../test/faults/hostile-server.ts") },
  host: { flags: ["rounds", "clients"], load: () => import("../test/faults/host-crashes.ts") },
  stalls: { flags: ["connections", "probes", "targets"], load: () => import("../test/faults/stalls.ts") },
  hosts: {
    flags: ["requests", "clients", "restarts", "freeze-ms", "pause-ms"],
    load: () => import("../test/faults/hosts/hosts-under-faults.ts"),
  },
  crowd: { flags: ["seconds", "crowd"], load: () => import("../test/faults/concurrent-clients.ts") },
};

process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  const { names, options } = readArguments();
  await installEngines();
  let isGood = true;
  for (const name of names) {
    const started = performance.now();
    const verdict = await PARTS[name]!.load()
      .then(({ run }) => run(options))
      .catch((error: Error) => ({ ok: false, line: `it broke off: ${error.stack}` }));
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(`${verdict.ok ? "ok    " : "FAILED"}  ${name} (${minutes} min): ${verdict.line}`);
    isGood &&= verdict.ok;
  }
  return isGood;
}

function readArguments(): { readonly names: readonly string[]; readonly options: FaultOptions } {
  const flags = ["seed", "only", ...Object.values(PARTS).flatMap((part) => part.flags)];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(flags.map((flag) => [flag, { type: "string" as const }])),
  });
  const unknown = positionals.find((name) => !(name in PARTS));
  if (unknown !== undefined) throw new Error(`Unknown part "${unknown}". The parts are ${Object.keys(PARTS)}.`);
  const count = (name: string, fallback: number) => {
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < 0)
      throw new Error(`--${name} must be a whole number, not "${values[name]}".`);
    return value;
  };
  const words = (name: string) => (values[name] ?? "").split(",").filter((word) => word !== "");
  const options = { seed: count("seed", 1), only: words("only"), count, words };
  return { names: positionals.length > 0 ? positionals : Object.keys(PARTS), options };
}
