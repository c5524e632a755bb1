// The button that runs the operation, the progress of the run, and its error.
import { useEffect, useRef } from "preact/hooks";
import { countText } from "../../model/format.ts";
import type { Operation } from "../../model/operations.ts";
import type { Job, State } from "../../model/state.ts";
import { chosenOperation } from "../../model/steps.ts";
import { obstacleTo } from "../../session/faults.ts";
import { inputsOf, isBatch, isConverted } from "../../session/request.ts";
import { ProblemText, type ViewContext } from "../components.tsx";

export function Run({ page: { state, jobs } }: { page: ViewContext }) {
  const { job, problem } = state;
  const elementRef = useRef<HTMLDivElement>(null);
  const isRunning = job !== undefined;
  useEffect(() => {
    // The button that was pressed no longer exists, so the focus must move.
    if (document.activeElement === document.body) elementRef.current?.querySelector("button")?.focus();
  }, [isRunning]);
  const operation = chosenOperation(state);
  const obstacle = operation && obstacleTo(operation, state);
  const hint = obstacle ?? (operation && conversionText(operation, state));
  return (
    <div class="run" ref={elementRef}>
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
            {operation && isBatch(operation, state) ? `Run for ${state.inputs.length} files` : "Run"}
          </button>
          {hint && <p class="small">{hint}</p>}
        </>
      )}
      {problem?.place === "job" && <ProblemText problem={problem} />}
    </div>
  );
}

/** Returns a message about files that will be converted to PDF first; empty if there are none. */
function conversionText(operation: Operation, state: State): string {
  const names = inputsOf(operation, state).filter((input) => isConverted(operation, input));
  if (names.length === 0) return "";
  const [first] = names;
  return `${names.length === 1 ? `${first!.name} is` : `${names.length} files are`} converted to PDF first.`;
}

function stepText({ step, progress, done, total }: Job, state: State): string {
  const steps = chosenOperation(state)?.steps ?? [];
  if (total !== undefined) return `Working: ${done} of ${total} files…`;
  switch (step) {
    case "uploading":
      return `Sending ${countText(unsent(state).length, "file")}…`;
    case "converting":
      return "Converting to PDF first…";
    case "starting":
      return "Working…";
    case "waiting":
      return progress?.position ? `Waiting, number ${progress.position} in the queue…` : "Waiting for a free place…";
    case "running":
      if (steps.length > 1) return stepName(steps, progress?.stepsDone ?? 0);
      return progress?.pagesDone === undefined
        ? "Working…"
        : `Working: ${progress.pagesDone} ${progress.pagesTotal === undefined ? "pages" : `of ${countText(progress.pagesTotal, "page")}`}…`;
  }
}

/** Returns a message about the step that runs. */
const stepName = (steps: readonly Operation[], done: number): string =>
  done < steps.length ? `Step ${done + 1} of ${steps.length}, ${steps[done]!.title}…` : "Working…";

/**
 * Returns the attributes of the progress bar. If the progress is unknown, `value` is missing, and the bar is
 * indeterminate.
 */
function barOf({ step, progress, done, total }: Job, state: State): { value?: number; max?: number } {
  if (done !== undefined && total !== undefined) return { value: done, max: total };
  if (step === "uploading") {
    const files = inputsIn(state).filter(({ file }) => file);
    return { value: files.reduce((sum, { sent = 0 }) => sum + sent, 0), max: Math.max(1, files.length) };
  }
  const { pagesDone, pagesTotal, stepsDone, stepsTotal } = progress ?? {};
  if (stepsDone !== undefined && stepsTotal !== undefined) return { value: stepsDone, max: stepsTotal };
  return pagesDone === undefined || pagesTotal === undefined ? {} : { value: pagesDone, max: pagesTotal };
}

const inputsIn = ({ inputs, further }: State) => [...inputs, ...further];
const unsent = (state: State) => inputsIn(state).filter(({ file, id }) => file && id === undefined);
