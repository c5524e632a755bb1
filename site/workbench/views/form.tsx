// The third step: the form of the operation, and the button that runs it. The form is generated from the service's
// description.

import { labelOf } from "../model/format.ts";
import { type FormField, type Operation, takesFiles } from "../model/operations.ts";
import type { Value } from "../model/state.ts";
import { complaintOf, controlOf, faultOf, faultsOf } from "../session/faults.ts";
import { isBatch, shownFields, shownValue } from "../session/request.ts";
import { ProblemText, Section, type ViewContext } from "./components.tsx";
import { Control, grouped } from "./controls.tsx";
import { FurtherFiles } from "./further-files.tsx";
import { Run } from "./run.tsx";

export function Form({ page }: { page: ViewContext }) {
  const { state } = page;
  const operation = state.service?.operations.get(state.path);
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
            {shownFields(operation, state).map((field) => (
              <Labeled key={operation.path + field.name} {...{ page, operation, field }} />
            ))}
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
  document.getElementById(faults[0]!.control)?.focus();
}

function Labeled({ page, operation, field }: { page: ViewContext; operation: Operation; field: FormField }) {
  const { state, store } = page;
  const id = controlOf(field);
  const { minimum, maximum, examples } = field.schema;
  const value = shownValue(operation, field, state);
  const fault = faultOf(operation, field, state);
  const complaint = complaintOf(fault, operation, state);
  const problem = state.problem?.place === `field:${field.name}` ? state.problem : undefined;
  const change = (value: Value) => {
    const values = { ...state.values[operation.path], [field.name]: value };
    store.set({ values: { ...state.values, [operation.path]: values } });
    if (problem) store.clear("problem");
  };
  const described = `${id}-help ${id}-complaint`;
  const label = (
    <>
      {labelOf(field.name)} <code aria-hidden="true">{field.name}</code>
    </>
  );
  const control = (
    <Control
      {...{ id, field, value, described, change }}
      isInvalid={complaint !== undefined || problem !== undefined}
    />
  );
  const rest = (
    <>
      <p class="small" id={`${id}-help`}>
        {field.description}
        {minimum !== undefined && maximum !== undefined && ` From ${minimum} to ${maximum}.`}
        {examples && ` For example ${examples.join(", ")}.`}
      </p>
      <p class="complaint" id={`${id}-complaint`} aria-live="polite">
        {problem ? "" : complaint}
      </p>
      {problem && <ProblemText problem={problem} />}
    </>
  );
  if (grouped(field)) {
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        {control}
        {rest}
      </fieldset>
    );
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control}
      {rest}
    </div>
  );
}
