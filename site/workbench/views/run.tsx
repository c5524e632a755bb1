// The button that runs the operation, its progress, and what went wrong.
import { obstacleTo } from "../faults.ts";
import { countText } from "../format.ts";
import type { Job, State } from "../state.ts";
import { type Page, ProblemText } from "./parts.tsx";

export function Run({ page: { state, jobs } }: { page: Page }) {
  const { job, problem } = state;
  const operation = state.service?.operations.get(state.path);
  const obstacle = operation && obstacleTo(operation, state);
  return (
    <div class="run">
      {job ? (
        <div class="progress">
          <p id="progress-label">{stepText(job, state)}</p>
          <progress aria-labelledby="progress-label" {...barOf(job, state)} />
          <button type="button" onClick={() => jobs.cancel()}>
            Cancel
          </button>
        </div>
      ) : (
        <>
          <button type="submit" class="primary" disabled={!operation || obstacle !== undefined}>
            Run
          </button>
          {obstacle && <p class="small">{obstacle}</p>}
        </>
      )}
      {problem?.place === "job" && <ProblemText problem={problem} />}
    </div>
  );
}

function stepText({ step, progress }: Job, state: State): string {
  switch (step) {
    case "uploading":
      return `Sending ${countText(unsent(state).length, "file")}…`;
    case "starting":
      return "Working…";
    case "waiting":
      return progress?.position ? `Waiting, number ${progress.position} in the queue…` : "Waiting for a free place…";
    case "running":
      return progress?.pagesDone === undefined
        ? "Working…"
        : `Working: ${progress.pagesDone} ${progress.pagesTotal === undefined ? "pages" : `of ${countText(progress.pagesTotal, "page")}`}…`;
  }
}

/** Returns nothing if nothing is known: the bar then shows that something happens. */
function barOf({ step, progress }: Job, state: State): { value?: number; max?: number } {
  if (step === "uploading") {
    const files = state.inputs.filter(({ file }) => file);
    return { value: files.reduce((sum, { sent = 0 }) => sum + sent, 0), max: Math.max(1, files.length) };
  }
  const { pagesDone, pagesTotal } = progress ?? {};
  return pagesDone === undefined || pagesTotal === undefined ? {} : { value: pagesDone, max: pagesTotal };
}

const unsent = ({ inputs }: State) => inputs.filter(({ file, id }) => file && id === undefined);
