// The fields of an operation, each with its label, description and error. They are generated from the service's
// description.

import { labelOf } from "../../model/format.ts";
import { type FormField, type Operation, placeOf } from "../../model/operations.ts";
import type { Value } from "../../model/state.ts";
import { complaintOf, controlOf, faultOf } from "../../session/faults.ts";
import { shownFields, shownValue } from "../../session/request.ts";
import { ProblemText, type ViewContext } from "../components.tsx";
import { Control, grouped } from "./controls.tsx";

export const Fields = ({ page, operation }: { page: ViewContext; operation: Operation }) => (
  <>
    {shownFields(operation, page.state).map((field) => (
      <Labeled key={operation.form + field.name} {...{ page, operation, field }} />
    ))}
  </>
);

function Labeled({ page, operation, field }: { page: ViewContext; operation: Operation; field: FormField }) {
  const { state, store } = page;
  const id = controlOf(operation, field);
  const { minimum, maximum, examples } = field.schema;
  const value = shownValue(operation, field, state);
  const fault = faultOf(operation, field, state);
  const complaint = complaintOf(fault, state);
  const problem = state.problem?.place === `field:${placeOf(operation, field)}` ? state.problem : undefined;
  const change = (value: Value) => {
    const values = { ...state.values[operation.form], [field.name]: value };
    store.set({ values: { ...state.values, [operation.form]: values } });
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
