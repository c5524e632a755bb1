// A private service whose process a test kills, and which is started again with what it had stored.

import { join } from "node:path";
import { startDevServer, workerdPids } from "../../scripts/services/dev-server.ts";
import { startHost } from "./host-server.ts";
import { type Target, targetOf } from "./service.ts";

export interface MortalService {
  /** Without a slash at the end. */
  readonly url: string;
  /** Ends the processes at once, as a crash does. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service of the kind that the environment names, whose storage and log are in a folder. */
export const startMortalService = (folder: string, vars: Vars = {}): Promise<MortalService> =>
  STARTS[targetOf(process.env)](folder, vars);

/** Settings of the service. */
type Vars = Readonly<Record<string, string>>;

const STARTS: Readonly<Record<Target, (folder: string, vars: Vars) => Promise<MortalService>>> = {
  async wrangler(folder, vars) {
    const paths = { persistTo: join(folder, "storage"), logFile: join(folder, "service.log") };
    const server = await startDevServer({ variant: "private", port: 0, ...paths, vars });
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
  host: (folder, vars) =>
    startHost({
      dataFolder: join(folder, "storage"),
      logFile: join(folder, "service.log"),
      settings: { ENGINES: "off", VARIANT: "private", ...vars },
    }),
};
