// Reports to the container runtime whether the server responds and accepts jobs. Does not wait for engines.
import { get } from "node:http";

const TIMEOUT_MS = 4_000;

const request = get({ host: "127.0.0.1", port: process.env.PORT, path: "/up", timeout: TIMEOUT_MS }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
request.on("timeout", () => process.exit(1));
request.on("error", () => process.exit(1));
