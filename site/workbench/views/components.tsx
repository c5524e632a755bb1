// Small components that several views use.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { explain, type Problem } from "../model/problems.ts";
import type { State } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "../session/inputs.ts";
import type { Jobs } from "../session/jobs.ts";

/** The state and actions that every view receives. */
export interface ViewContext {
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
  done: "M5 12l5 5 9-10",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  grip: "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
} as const;

/** Shows an icon. It is hidden from screen readers, because adjacent text or the label of the button explains it. */
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

interface PickerProps {
  readonly label: string;
  /** Values and their labels. If there are fewer than two, the picker is hidden. */
  readonly items: readonly (readonly [number, string])[];
  readonly value: number | undefined;
  onChange(value: number): void;
}

/** Lets the user choose the displayed file. */
export function Picker({ label, items, value, onChange }: PickerProps) {
  if (items.length < 2) return null;
  return (
    <label class="picker">
      {label}
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {items.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

const COPIED_MS = 2000;

interface CopyProps {
  readonly text: string;
  /** Label of the button. */
  readonly children: ComponentChildren;
  readonly title?: string;
}

/** Shows a button that copies a text, such as code or a link. */
export function Copy({ text, children, title }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  // Browsers provide the clipboard only on https and localhost.
  if (!navigator.clipboard) return null;
  return (
    <button type="button" title={title} onClick={() => void copy().catch(() => {})}>
      <Icon name={isCopied ? "done" : "copy"} /> <span aria-live="polite">{isCopied ? "Copied" : children}</span>
    </button>
  );
}

/** Shows an error as an alert, which screen readers announce. */
export function ProblemText({ problem, id }: { problem: Problem; id?: string }) {
  const elementRef = useRef<HTMLDivElement>(null);
  useEffect(() => elementRef.current?.scrollIntoView({ block: "nearest" }), [problem]);
  return (
    <div role="alert" ref={elementRef} {...(id ? { id } : {})}>
      <ProblemBox problem={problem} />
    </div>
  );
}

/** Shows the error message of the service, and the request ID, which identifies the request in the log. */
export function ProblemBox({ problem }: { problem: Problem }) {
  const { sentence, reasons } = explain(problem.sentence);
  return (
    <div class="problem">
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
