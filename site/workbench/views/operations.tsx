// The second step: choosing the operation. Operations that exist only in the other variant are shown as disabled.
import { takesFiles } from "../model/operations.ts";
import { Section, type ViewContext } from "./components.tsx";

export function Operations({ page: { state, store } }: { page: ViewContext }) {
  const offered = state.service?.operations;
  const all = [...(state.service?.all.values() ?? [])];
  const groups = [...new Set(all.map(({ group }) => group))];
  // If the operation has no input files, the first step is omitted.
  const operation = offered?.get(state.path);
  const isFirst = operation !== undefined && !takesFiles(operation);
  return (
    <Section id="operation" number={isFirst ? 1 : 2} title="Choose an operation">
      <div class="groups">
        {groups.map((name) => (
          <fieldset key={name}>
            <legend>{name}</legend>
            <div class="choices">
              {all
                .filter(({ group }) => group === name)
                .map(({ path, title }) => {
                  const isMissing = !offered?.has(path);
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
