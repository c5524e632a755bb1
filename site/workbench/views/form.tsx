// The third step: the form of the operation, made from the description of the service, and the button that runs it.
import { checkValue } from "../checks.ts";
import { labelOf } from "../format.ts";
import type { FormField, Operation } from "../operations.ts";
import { inputsOf, isBatch, shownFields, shownValue } from "../request.ts";
import type { Value } from "../state.ts";
import { Control, grouped } from "./controls.tsx";
import { type Page, ProblemText, Section } from "./parts.tsx";
import { Run } from "./run.tsx";

export function Form({ page }: { page: Page }) {
  const { state } = page;
  const operation = state.service?.operations.get(state.path);
  return (
    <Section id="options" number={operation?.source === "text" ? 2 : 3} title="Set the options">
      {!operation && (
        <p class="small">{state.isLost ? "The service does not answer." : "Reading what the service offers…"}</p>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (operation) void page.jobs.run(operation);
        }}
      >
        {operation && (
          <>
            <p class="summary">
              {operation.summary} <code>POST {operation.path}</code>
            </p>
            {isBatch(operation, state) && <p class="small">Each file keeps its name.</p>}
            {shownFields(operation, state).map((field) => (
              <Labeled key={operation.path + field.name} {...{ page, operation, field }} />
            ))}
          </>
        )}
        {state.service?.keyed && <ApiKey page={page} />}
        <Run page={page} />
      </form>
    </Section>
  );
}

function Labeled({ page, operation, field }: { page: Page; operation: Operation; field: FormField }) {
  const { state, store } = page;
  const id = `field-${field.name.replace("[]", "")}`;
  const value = shownValue(operation, field, state);
  const inputs = inputsOf(operation, state);
  // Each of several documents may have other pages.
  const pageCount = inputs.length === 1 ? inputs[0]!.info?.pages : undefined;
  const complaint = [value]
    .flat()
    .map((text) => checkValue(field, text, pageCount))
    .find((sentence) => sentence !== undefined);
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
        {field.examples && field.kind !== "json" && ` For example ${field.examples.join(", ")}.`}
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

function ApiKey({ page: { state, store, inputs } }: { page: Page }) {
  const problem = state.problem?.place === "key" ? state.problem : undefined;
  return (
    <div class="field">
      <label for="api-key">
        API key <code aria-hidden="true">Api-Key</code>
      </label>
      <input
        id="api-key"
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={state.apiKey}
        aria-invalid={problem !== undefined}
        aria-describedby="api-key-help"
        onInput={(event) => {
          store.set({ apiKey: event.currentTarget.value.trim() });
          if (problem) store.clear("problem");
        }}
        onChange={() => inputs.storeEarly()}
      />
      <p class="small" id="api-key-help">
        Kept in the memory of this page, and nowhere else.
      </p>
      {problem && <ProblemText problem={problem} />}
    </div>
  );
}
