// The stage: shows the previewed document of the list, or the outcome of a run.
import { useEffect, useRef, useState } from "preact/hooks";
import { takesFiles } from "../../model/operations.ts";
import { sideOf } from "../../model/pairs.ts";
import type { Input } from "../../model/state.ts";
import { chosenOperation } from "../../model/steps.ts";
import { problemOf } from "../../session/faults.ts";
import { chosenInput } from "../../session/request.ts";
import { Picker, ProblemText, type ViewContext } from "../components.tsx";
import { Comparison } from "./comparison.tsx";
import { Made } from "./made.tsx";

export function Stage({ page }: { page: ViewContext }) {
  const { outcomes, shown, problem } = page.state;
  const outcome = outcomes.find(({ key }) => key === shown);
  const elementRef = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // An outcome that was restored after a reload must not scroll the page.
  const seen = useRef(outcome?.key);
  useEffect(() => {
    if (seen.current === outcome?.key) return;
    seen.current = outcome?.key;
    if (outcome) show(elementRef.current!);
    // If the button that was pressed no longer exists, the focus must move.
    const isLost = document.activeElement === document.body || document.activeElement?.closest(".run");
    if (outcome && isLost) title.current?.focus({ preventScroll: true });
  }, [outcome?.key]);
  const isMissing = problem?.place === "result";
  useEffect(() => {
    if (isMissing) show(elementRef.current!);
  }, [isMissing]);
  return (
    <section ref={elementRef} class="card stage" aria-labelledby="stage-title" id="stage">
      <h2 id="stage-title" ref={title} tabIndex={-1}>
        {outcome ? "Result" : "Preview"}
      </h2>
      {isMissing && <ProblemText problem={problem} />}
      {outcome ? <Made key={outcome.key} {...{ page, outcome }} /> : <Preview page={page} />}
    </section>
  );
}

/**
 * Scrolls to the stage if its top is not visible. On narrow screens, the stage is below the form; on wide screens, the
 * user might have scrolled down.
 */
function show(stage: HTMLElement): void {
  const { top } = stage.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) stage.scrollIntoView();
}

function Preview({ page }: { page: ViewContext }) {
  const { state, inputs } = page;
  const operation = chosenOperation(state);
  const hasFiles = !operation || takesFiles(operation);
  const input = hasFiles ? chosenInput(state) : undefined;
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [input?.key]);
  const { id, info } = input?.pdf ?? input ?? {};
  const file = id === undefined ? undefined : { id, isDeleted: false, ...(info ? { info } : {}) };
  const side = sideOf(file, index + 1);
  const count = side?.type === "application/pdf" ? info?.pages : 1;
  return (
    <>
      {hasFiles && (
        <Picker
          label="File to preview"
          items={state.inputs.map(({ key, name }) => [key, name])}
          value={input?.key}
          onChange={(key) => inputs.choose(key)}
        />
      )}
      {side ? (
        <Comparison {...{ count, index }} pair={{ before: side }} onIndex={setIndex} />
      ) : (
        <div class="empty">
          <div class="paper" aria-hidden="true">
            <i />
            <i />
            <i />
            <i />
          </div>
          <p>{hintFor(input)}</p>
        </div>
      )}
    </>
  );
}

function hintFor(input: Input | undefined): string {
  if (!input) return "Pages appear here.";
  if (problemOf(input)) return "There are no pages to show of this file.";
  if (input.id === undefined && input.url === undefined) return "Pages appear here once the file is stored.";
  return "Run the operation to see pages of this document.";
}
