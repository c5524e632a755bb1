// The second step: the operation. Those of the other variant are shown, and cannot be chosen.
import { CATALOG } from "../model/catalog.ts";
import { Section, type ViewContext } from "./components.tsx";

export function Operations({ page: { state, store } }: { page: ViewContext }) {
  const offered = state.service?.operations;
  // Text is typed into the form, so there is no step for files.
  const isFirst = offered?.get(state.path)?.source === "text";
  return (
    <Section id="operation" number={isFirst ? 1 : 2} title="Choose an operation">
      <div class="groups">
        {CATALOG.map(({ title, entries }) => (
          <fieldset key={title}>
            <legend>{title}</legend>
            <div class="choices">
              {entries.map(({ path, title }) => {
                const isMissing = offered !== undefined && !offered.has(path);
                return (
                  <label class={`choice ${isMissing ? "missing" : ""}`} key={path}>
                    <input
                      type="radio"
                      name="operation"
                      value={path}
                      checked={state.path === path}
                      disabled={isMissing}
                      onChange={() => {
                        store.set({ path, isPathChosen: true });
                        store.clear("problem");
                      }}
                    />
                    <span>
                      {title}
                      {isMissing && <span class="small"> (keyed variant only)</span>}
                    </span>
                  </label>
                );
              })}
            </div>
          </fieldset>
        ))}
      </div>
    </Section>
  );
}
