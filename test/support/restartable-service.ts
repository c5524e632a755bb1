// A service of the private variant that a test can kill and restart with the data that it stored.

import { join } from "node:path";
import { startDevServer, workerdPids } from "../../scripts/services/dev-server.ts";
import { startHost } from "./host-server.ts";
import { type Target, targetOf } from "./service.ts";

export interface MortalService {
  /** URL without a final slash. */
  readonly url: string;
  /** Kills the processes, as a crash does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service of the kind that PAGEWRIGHT_TARGET selects. Its storage and log are in the given folder. */
export const startMortalService = (folder: string, vars: Vars = {}): Promise<MortalService> =>
  STARTS[targetOf(process.env)](folder, vars);

/** Settings of the service. */
type Vars = Readonly<Record<string, string>>;

const STARTS: Readonly<Record<Target, (folder: string, vars: Vars) => Promise<MortalService>>> = {
  async wrangler(folder, vars) {
    const paths = { persistTo: join(folder, "storage"), logFile: join(folder, "service.log") };
    const server = await startDevServer({
      variant: "private",
      port: 0,
      ...paths,
      vars,
      bundle: process.env.WORKER_BUNDLE,
    });
    return {
      url: server.url,
      stop: () => server.stop(),
      async kill() {
        for (const pid of workerdPids(server.pid)) process.kill(pid, "SIGKILL");
        server.kill();
        await server.ended;
      },
    };
  },
  regions: () => Promise.reject(new Error("A service with regions cannot be restarted.")),
  host: (folder, vars) =>
    startHost({
      dataFolder: join(folder, "storage"),
      logFile: join(folder, "service.log"),
      settings: { ENGINES: "off", VARIANT: "private", ...vars },
    }),
};
