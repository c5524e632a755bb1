// The form for the API key, which the keyed variant requires.
import { ProblemText, Section, type ViewContext } from "./components.tsx";

export function ApiKey({ page: { state, store, inputs } }: { page: ViewContext }) {
  if (!state.service?.keyed) return null;
  const problem = state.problem?.place === "key" ? state.problem : undefined;
  return (
    <Section id="key" title="Enter your key">
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
    </Section>
  );
}
