// A Worker that runs checks of the client.
import { type Assignment, runCheck } from "./client-elsewhere.ts";

export default {
  fetch: async (request: Request) => new Response(await runCheck((await request.json()) as Assignment)),
};
