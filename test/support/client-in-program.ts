// A program for Deno or Bun that runs checks of the client. Each line of standard input is an assignment, and each line
// of standard output is its result.
import { createInterface } from "node:readline";
import { Pagewright } from "../../client/node.ts";
import { type Assignment, runCheck } from "./client-elsewhere.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const error = await runCheck(JSON.parse(line) as Assignment, Pagewright);
  process.stdout.write(`${JSON.stringify({ error })}\n`);
}
