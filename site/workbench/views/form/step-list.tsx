// The list of steps that run in one request: each with the form of its operation.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Operation } from "../../model/operations.ts";
import type { State } from "../../model/state.ts";
import { mismatchAt, possibleSteps } from "../../model/steps.ts";
import { faultsOf, stepControlOf } from "../../session/faults.ts";
import { stateOfStep } from "../../session/request.ts";
import { addStep, linkOfSteps, moveStep, removeStep } from "../../session/step-list.ts";
import { Copy, Icon, ProblemText, type ViewContext } from "../components.tsx";
import { Moves, moveByKey, useDragging } from "../order.tsx";
import { Fields } from "./fields.tsx";
import { FurtherFiles } from "./further-files.tsx";

interface StepListProps {
  readonly page: ViewContext;
  readonly steps: readonly Operation[];
}

export function StepList({ page, steps }: StepListProps) {
  /** Forms of the open steps. A new step closes the others, so that the order of the list stays in view. */
  const [opened, setOpened] = useState<readonly string[]>([]);
  const link = new URL(linkOfSteps(page.state), document.baseURI).href;
  return (
    <>
      {steps.length > 0 && (
        <ol class="step-rows" aria-label="Steps">
          {steps.map((step, index) => (
            <StepRow
              key={step.form}
              {...{ step, steps, index }}
              isChosen={opened.includes(step.form)}
              choose={(isChosen) =>
                setOpened((opened) => [
                  ...opened.filter((form) => form !== step.form),
                  ...(isChosen ? [step.form] : []),
                ])
              }
              page={{ ...page, state: stateOfStep(page.state, index) }}
            />
          ))}
        </ol>
      )}
      <AddStep {...{ page, steps }} onAdded={(form) => setOpened([form])} />
      {steps.length > 0 && (
        <p>
          <Copy text={link} title="The link has no files and no passwords">
            Copy a link to these steps
          </Copy>
        </p>
      )}
    </>
  );
}

/** Media type of the dragged data: the form of a step. */
const DRAGGED = "application/x-workbench-step";

interface StepRowProps extends StepListProps {
  readonly step: Operation;
  readonly index: number;
  readonly isChosen: boolean;
  choose(isChosen: boolean): void;
}

function StepRow({ page, steps, step, index, isChosen, choose }: StepRowProps) {
  const { state, store, inputs } = page;
  const problem = state.problem?.place === `step:${step.form}` ? state.problem : undefined;
  const complaint = mismatchAt(steps, index);
  const hasError = isBad(step, state);
  useEffect(() => {
    // The step stays open when the error is corrected.
    if (hasError) choose(true);
  }, [hasError]);
  const isOpen = isChosen || hasError;
  const name = `step ${index + 1}, ${step.title}`;
  const order = { name, index, count: steps.length, move: (to: number) => moveStep(store, step, to) };
  const { isOver, source, target } = useDragging(DRAGGED, step.form, (form) => {
    const dragged = steps.find((one) => one.form === form);
    if (dragged) moveStep(store, dragged, index);
  });
  const id = stepControlOf(step);
  const isDone = index < (state.job?.progress?.stepsDone ?? 0);
  return (
    <li class={`step-row ${isOver ? "over" : ""} ${complaint || problem ? "bad" : ""}`} {...target}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons within do the same */}
      <div class="head" draggable {...source} onKeyDown={(event) => moveByKey(event, order)}>
        <span class="grip">
          <Icon name={isDone ? "done" : "grip"} />
        </span>
        <button
          type="button"
          class="quiet name"
          id={id}
          aria-expanded={isOpen}
          aria-controls={`${id}-form`}
          aria-describedby={`${id}-complaint`}
          onClick={() => choose(!isOpen)}
        >
          {index + 1}. {step.title}
        </button>
        <Moves {...order} isShort />
        <button type="button" class="quiet" onClick={() => removeStep(store, inputs, step)}>
          <Icon name="remove" />
          <span class="visually-hidden">Remove {name}</span>
        </button>
      </div>
      <p class="complaint whole" id={`${id}-complaint`} aria-live="polite">
        {problem ? "" : complaint}
      </p>
      {problem && <ProblemText problem={problem} />}
      <div class="step-form" id={`${id}-form`} hidden={!isOpen}>
        <p class="small">
          {step.summary} <code>{step.path.slice(1)}</code>
        </p>
        {step.files.map((file) => (
          <FurtherFiles key={file.name} {...{ page, file }} operation={step} />
        ))}
        <Fields page={page} operation={step} />
      </div>
    </li>
  );
}

/** Reports whether the step shows an error, so that its form must be open. */
function isBad(step: Operation, state: State): boolean {
  const place = state.problem?.place ?? "";
  const number = step.form.slice(0, -step.path.length);
  const isTried = state.tried === state.path;
  return place.startsWith(`field:${number}/`) || (isTried && faultsOf(step, state).length > 0);
}

function AddStep({
  page: { state, store },
  steps,
  onAdded,
}: StepListProps & { readonly onAdded: (form: string) => void }) {
  const possible = state.service ? possibleSteps(state.service) : [];
  const groups = [...new Set(possible.map(({ group }) => group))];
  const element = useRef<HTMLDetailsElement>(null);
  const add = (operation: Operation) => {
    onAdded(addStep(store, operation));
    element.current!.open = false;
    element.current!.querySelector("summary")!.focus();
  };
  return (
    <details class="adding" ref={element} open={steps.length === 0}>
      <summary>Add a step</summary>
      <div class="groups">
        {groups.map((name) => (
          <fieldset key={name}>
            <legend>{name}</legend>
            <div class="choices">
              {possible
                .filter(({ group }) => group === name)
                .map((operation) => (
                  <button
                    type="button"
                    class="choice"
                    key={operation.path}
                    value={operation.path}
                    onClick={() => add(operation)}
                  >
                    {operation.title}
                  </button>
                ))}
            </div>
          </fieldset>
        ))}
      </div>
    </details>
  );
}
