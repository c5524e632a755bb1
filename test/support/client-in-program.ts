// A program of Deno or Bun that runs the checks of the client: an assignment is a line of standard input, and the
// result a line of standard output.
import { createInterface } from "node:readline";
import { Pagewright } from "../../client/node.ts";
import { type Assignment, runCheck } from "./client-elsewhere.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const error = await runCheck(JSON.parse(line) as Assignment, Pagewright);
  process.stdout.write(`${JSON.stringify({ error })}\n`);
}
