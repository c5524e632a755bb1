// The third step: the form of the operation, made from the description of the service, and the button that runs it.
import { checkValue } from "../checks.ts";
import { labelOf } from "../format.ts";
import type { FormField, Operation } from "../operations.ts";
import { inputsOf, isBatch, shownValue } from "../request.ts";
import type { State, Value } from "../state.ts";
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
            {shownFields(operation, page).map((field) => (
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

/** A file of settings counts for the value `custom` alone. */
function shownFields(operation: Operation, { state }: Page): readonly FormField[] {
  const customized = operation.fields.find(({ values }) => values?.includes("custom"));
  const isCustom = !customized || shownValue(operation, customized, state) === "custom";
  return operation.fields.filter(({ kind }) => kind !== "json" || isCustom);
}

function Labeled({ page, operation, field }: { page: Page; operation: Operation; field: FormField }) {
  const { state, store } = page;
  const id = `field-${field.name.replace("[]", "")}`;
  const value = shownValue(operation, field, state);
  const complaint = complaintOf(operation, field, state);
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
        {field.name === "output" && isBatch(operation, state) && " Left empty: the name of each file."}
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

/** Returns what is wrong with a value: in itself, or for one of the inputs. */
function complaintOf(operation: Operation, field: FormField, state: State): string | undefined {
  const texts = [shownValue(operation, field, state)].flat();
  const complaintFor = (pageCount?: number) =>
    texts.map((text) => checkValue(field, text, pageCount)).find((sentence) => sentence !== undefined);
  const complaint = complaintFor();
  if (complaint !== undefined) return complaint;
  const complaints = inputsOf(operation, state).flatMap((input) => {
    const sentence = complaintFor((input.pdf ?? input).info?.pages);
    return sentence === undefined ? [] : [isBatch(operation, state) ? `${input.name}: ${sentence}` : sentence];
  });
  return complaints[0];
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
