// The third step: the form of the operation, and the button that runs it.

import { type Operation, takesFiles } from "../../model/operations.ts";
import { chosenOperation } from "../../model/steps.ts";
import { faultsOf } from "../../session/faults.ts";
import { isBatch } from "../../session/request.ts";
import { Section, type ViewContext } from "../components.tsx";
import { Fields } from "./fields.tsx";
import { FurtherFiles } from "./further-files.tsx";
import { Run } from "./run.tsx";
import { StepList } from "./step-list.tsx";

export function Form({ page }: { page: ViewContext }) {
  const { state } = page;
  const operation = chosenOperation(state);
  return (
    <Section id="options" number={operation && !takesFiles(operation) ? 2 : 3} title="Set the options">
      {!operation && (
        <p class="small">{state.isLost ? "The service does not answer." : "Reading what the service offers…"}</p>
      )}
      {operation && (
        <>
          <p class="summary">
            {operation.summary} <code>POST {operation.path}</code>
          </p>
          {operation.files.map((file) => (
            // Outside the form, because the field for a URL is a separate form.
            <FurtherFiles key={operation.path + file.name} {...{ page, operation, file }} />
          ))}
          {operation.steps && <StepList {...{ page, steps: operation.steps }} />}
        </>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (operation) run(operation, page);
        }}
      >
        {operation && (
          <>
            {isBatch(operation, state) && <p class="small">Each file keeps its name.</p>}
            <Fields {...{ page, operation }} />
          </>
        )}
        <Run page={page} />
      </form>
    </Section>
  );
}

/** Runs an operation. If the form is invalid, shows all its errors instead. */
function run(operation: Operation, { state, store, jobs }: ViewContext): void {
  const faults = faultsOf(operation, state);
  if (faults.length === 0) return void jobs.run(operation);
  store.set({ tried: operation.path, announcement: faults.map(({ sentence }) => sentence).join(" ") });
  // The control can be in a step that opens because of its error.
  queueMicrotask(() => document.getElementById(faults[0]!.control)?.focus());
}
