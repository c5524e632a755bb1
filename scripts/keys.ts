// `npm run keys`: creates, changes, lists and revokes the API keys of the keyed variant, and shows their usage.

import { runKeys } from "./keys/command.ts";

try {
  await runKeys(process.argv.slice(2), console.log);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
