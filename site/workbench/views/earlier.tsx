// Lists earlier results that are still stored.
import { endText } from "../model/format.ts";
import { hasFiles } from "../model/keeping.ts";
import type { Outcome } from "../model/state.ts";
import { Section, type ViewContext } from "./components.tsx";

export function Earlier({ page: { state, store } }: { page: ViewContext }) {
  const others = state.outcomes.filter((outcome) => outcome.key !== state.shown && hasFiles(outcome));
  if (others.length === 0) return null;
  return (
    <Section id="earlier" title="Made before">
      <ul class="earlier">
        {others.map((outcome) => (
          <li key={outcome.key}>
            <button type="button" class="chip" onClick={() => store.set({ shown: outcome.key })}>
              {titleOf(outcome, state.service?.all.get(outcome.path)?.title ?? "Link")}
            </button>{" "}
            <Kept expires={filesIn(outcome)[0]?.info?.expires} />
          </li>
        ))}
      </ul>
      <p class="small">This list goes with the tab. A link to a result opens it elsewhere.</p>
    </Section>
  );
}

const Kept = ({ expires }: { expires: string | undefined }) =>
  expires === undefined ? null : <span class="small">kept until {endText(expires)}</span>;

const filesIn = ({ results }: Outcome) =>
  results.flatMap(({ outputs }) => outputs.filter(({ isDeleted }) => !isDeleted));

function titleOf(outcome: Outcome, operation: string): string {
  const [first, ...others] = filesIn(outcome);
  const name = first?.info?.name ?? "a file";
  return `${operation}: ${name}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}
