// Shows the request of the form as code snippets in several languages.
import { LANGUAGES } from "../../../src/service/reference/snippets/languages.ts";
import { labelOf } from "../model/format.ts";
import { chosenOperation } from "../model/steps.ts";
import { faultsOf } from "../session/faults.ts";
import { callsOfState, chosenInput, isBatch, maskedSteps } from "../session/request.ts";
import { Copy, type ViewContext } from "./components.tsx";

export function Code({ page: { state, store } }: { page: ViewContext }) {
  const operation = chosenOperation(state);
  const language = LANGUAGES.find(({ id }) => id === state.language) ?? LANGUAGES[0]!;
  if (!operation) return null;
  const base = new URL(".", document.baseURI).href.replace(/\/$/, "");
  const text = language.write(callsOfState(operation, state, base));
  const masked = maskedSteps(operation, state);
  const count = state.inputs.length;
  const missing = faultsOf(operation, state).filter(({ isMissing }) => isMissing);
  const selectByKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = LANGUAGES.at((LANGUAGES.indexOf(language) + step) % LANGUAGES.length)!;
    store.set({ language: next.id });
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <section class="card code" aria-labelledby="code-title" id="code">
      <h2 id="code-title">The same in code</h2>
      <div class="toolbar">
        <div class="tabs" role="tablist" aria-labelledby="code-title" onKeyDown={selectByKey}>
          {LANGUAGES.map(({ id, name }) => (
            <button
              type="button"
              role="tab"
              key={id}
              id={`tab-${id}`}
              aria-selected={id === language.id}
              aria-controls="code-panel"
              tabIndex={id === language.id ? 0 : -1}
              onClick={() => store.set({ language: id })}
            >
              {name}
            </button>
          ))}
        </div>
        {missing.length === 0 && <Copy text={text}>Copy</Copy>}
      </div>
      {isBatch(operation, state) && (
        <p class="small">
          {language.id === "cli"
            ? `For all ${count} files.`
            : `For ${chosenInput(state)?.name}. Each of the ${count} files has a request of its own.`}
        </p>
      )}
      {masked && (
        <p class="small">
          The variable <code>STEPS</code> contains the steps with their passwords: <code>{masked}</code>
        </p>
      )}
      {missing.length > 0 && (
        <p class="complaint">
          The request is not complete: {missing.map(({ name }) => labelOf(name)).join(", ")}{" "}
          {missing.length === 1 ? "is" : "are"} empty.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div role="tabpanel" id="code-panel" aria-labelledby={`tab-${language.id}`} tabIndex={0}>
        <pre>
          <code>{text}</code>
        </pre>
      </div>
    </section>
  );
}
