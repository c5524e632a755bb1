// Tests the client (client/) with a whole service: one suite in Node, in workerd, in a browser, and in Deno and Bun if
// they are installed.
// Contract: docs/api.md#client, #json-bodies, #resumable-uploads, #stored-files
import { afterAll, beforeAll, describe, test } from "vitest";
import { CHECKS } from "../support/client-checks.ts";
import { type ClientPlatform, MISSING, PLATFORMS } from "../support/client-platforms.ts";
import { type ClientService, startClientService } from "../support/client-setup.ts";

let service: ClientService;
beforeAll(async () => {
  service = await startClientService();
}, 600_000);
afterAll(() => service?.[Symbol.asyncDispose]());

for (const name of MISSING) console.log(`The client is not tested in ${name}: no folder of PATH has the program.`);

const here = Object.entries(PLATFORMS).filter(([name]) => !(MISSING as readonly string[]).includes(name));
describe.each(here)("in %s", (_, start) => {
  let platform: ClientPlatform;
  beforeAll(async () => {
    platform = await start(service);
  });
  afterAll(() => platform?.[Symbol.asyncDispose]());

  test.each(Object.keys(CHECKS))("%s", (check) => platform.run(check));
});
