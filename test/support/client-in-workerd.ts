// A Worker that runs checks of the client: the request is an assignment, the response its result.
import { type Assignment, runCheck } from "./client-elsewhere.ts";

export default {
  fetch: async (request: Request) => new Response(await runCheck((await request.json()) as Assignment)),
};
