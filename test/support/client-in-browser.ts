// A page that fetches checks of the client and runs them one after another.
import { type Assignment, runCheck } from "./client-elsewhere.ts";

for (;;) {
  const { done, assignment } = (await (await fetch("/next-check")).json()) as {
    readonly done: boolean;
    readonly assignment: Assignment;
  };
  if (done) break;
  const body = await runCheck({ ...assignment, baseUrl: location.origin });
  await fetch("/checked", { method: "POST", body });
}
