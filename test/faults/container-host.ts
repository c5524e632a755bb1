// Runs the container's service as `npm start` does, in a separate process, so that its supervisor can be killed and
// stopped as well. Reports its URL to its parent process, and ends with it. Environment: FAULTS_LOG, SCRATCH_DIR,
// MEMORY_SCRATCH_DIR.

import { startContainer } from "../../scripts/services/container-process.ts";

const { FAULTS_LOG, SCRATCH_DIR = "", MEMORY_SCRATCH_DIR = "" } = process.env;
if (FAULTS_LOG === undefined || process.send === undefined) {
  console.error("This program is started by test/faults/tested-service.ts.");
  process.exit(1);
}
const container = await startContainer({ logFile: FAULTS_LOG, env: { SCRATCH_DIR, MEMORY_SCRATCH_DIR } });
const stop = () => void container.stop().then(() => process.exit(0));
process.on("SIGTERM", stop);
process.on("disconnect", stop);
process.send({ url: container.url, secret: container.secret, vars: container.vars });
