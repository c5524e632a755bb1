// Small parts that several views share.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Inputs } from "../inputs.ts";
import type { Jobs } from "../jobs.ts";
import { explain, type Problem } from "../problems.ts";
import type { State } from "../state.ts";
import type { Store } from "../store.ts";

/** Everything that a view may read or call. */
export interface Page {
  readonly state: State;
  readonly store: Store;
  readonly inputs: Inputs;
  readonly jobs: Jobs;
}

const ICONS = {
  up: "M12 19V5m0 0-6 6m6-6 6 6",
  down: "M12 5v14m0 0 6-6m-6 6-6-6",
  top: "M5 4h14M12 20V8m0 0-6 6m6-6 6 6",
  end: "M5 20h14M12 4v12m0 0 6-6m-6 6-6-6",
  remove: "M6 6l12 12M18 6 6 18",
  download: "M12 4v11m0 0 5-5m-5 5-5-5M5 20h14",
  again: "M4 12h13m0 0-5-5m5 5-5 5M20 5v14",
  trash: "M5 7h14M10 7V4h4v3m-7 0 1 13h8l1-13",
  zoom: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm4.8 11.3L20 20M10.5 8v5M8 10.5h5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  grip: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
} as const;

/** Draws an icon, which a text beside it or a label of its button explains. */
export function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={ICONS[name]} />
    </svg>
  );
}

export function Section(props: { id: string; number?: number; title: string; children: ComponentChildren }) {
  const { id, number, title, children } = props;
  return (
    <section class="card" aria-labelledby={`${id}-title`} id={id}>
      <h2 id={`${id}-title`}>
        {number && (
          <span class="step" aria-hidden="true">
            {number}
          </span>
        )}
        {title}
      </h2>
      {children}
    </section>
  );
}

/** Shows an error as the service worded it, with what its log knows it by. */
export function ProblemText({ problem, id }: { problem: Problem; id?: string }) {
  const { sentence, reasons } = explain(problem.sentence);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [problem]);
  return (
    <div class="problem" role="alert" ref={place} {...(id ? { id } : {})}>
      <p>{sentence}</p>
      {reasons.length > 0 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {(problem.status > 0 || problem.requestId) && (
        <p class="small">
          {problem.status > 0 && `Status ${problem.status}`}
          {problem.requestId && (
            <>
              {" "}
              · request <code>{problem.requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}
