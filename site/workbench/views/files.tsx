// The first step: choosing documents. The user can drop files, enter a URL, or use a sample.
import { useEffect, useRef } from "preact/hooks";
import { checkAddress } from "../model/checks.ts";
import { countText } from "../model/format.ts";
import { takesFiles } from "../model/operations.ts";
import type { Problem } from "../model/problems.ts";
import type { Input } from "../model/state.ts";
import { chosenOperation } from "../model/steps.ts";
import { problemOf, whyUnusable } from "../session/faults.ts";
import { AddressField, DropZone } from "./choosers.tsx";
import { ProblemText, Section, type ViewContext } from "./components.tsx";
import { FileRow } from "./file-row.tsx";

const SAMPLES = [
  { name: "field-notes.pdf", title: "PDF" },
  { name: "invitation.docx", title: "Word" },
  { name: "harbor.html", title: "HTML" },
] as const;

export function Files({ page }: { page: ViewContext }) {
  const { state, inputs } = page;
  const operation = chosenOperation(state);
  const several = operation?.input.kind === "several";
  const bad = new Map(
    state.inputs.flatMap((input) => {
      const reason = operation && whyUnusable(operation, input);
      return reason === undefined ? [] : [[input.key, reason] as const];
    }),
  );
  const canOrder = several && state.inputs.length > 1;
  const list = useScrolledList(state.inputs.length);
  if (operation && !takesFiles(operation)) return null;
  return (
    <Section id="files" number={1} title="Choose files">
      <DropZone
        label="Drop files here"
        hint={["PDF", state.service?.operations.get("/pdf")?.input.description ?? []].flat().join(", ")}
        id="drop"
        isList
        onFiles={(files) => inputs.addFiles(files)}
      />
      {canOrder && (
        <fieldset class="order">
          <legend class="visually-hidden">Order of the files</legend>
          <span class="small">{countText(state.inputs.length, "file")}</span>
          <button type="button" class="chip" onClick={() => inputs.sortByName()}>
            Sort by name
          </button>
          <button type="button" class="chip" onClick={() => inputs.reverse()}>
            Reverse
          </button>
        </fieldset>
      )}
      {state.inputs.length > 0 && (
        <ol ref={list} class="files" aria-label={several ? "Files, in their order" : "Files"}>
          {state.inputs.map((input, index) => (
            <FileRow key={input.key} {...{ page, input, index, canOrder }} whyUnusable={bad.get(input.key)} />
          ))}
        </ol>
      )}
      {bad.size > 1 && (
        <button type="button" class="chip" onClick={() => inputs.remove(...bad.keys())}>
          Remove the {bad.size} files that cannot be used
        </button>
      )}
      {state.problem?.place === "files" && !isInList(state.problem, state.inputs) && (
        <ProblemText problem={state.problem} />
      )}
      <AddressField
        id="address"
        label={operation?.input.webPages ? "Address of a file or a web page" : "Address of a file"}
        onText={(url) => {
          const complaint = checkAddress(url);
          if (complaint === undefined) inputs.addAddress(url);
          return complaint;
        }}
      />
      <p class="samples">
        <span id="samples-label">Or try a sample:</span>{" "}
        {SAMPLES.map(({ name, title }) => (
          <button type="button" class="chip" key={name} onClick={() => void inputs.addSample(name)}>
            <span class="visually-hidden">Sample </span>
            {title}
          </button>
        ))}
      </p>
    </Section>
  );
}

/** Scrolls a list to its end when items were added. */
function useScrolledList(count: number) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef(0);
  useEffect(() => {
    if (before.current > 0 && count > before.current) list.current?.scrollTo({ top: list.current.scrollHeight });
    before.current = count;
  }, [count]);
  return list;
}

/** Reports whether the list already shows the error at its file. */
const isInList = ({ sentence }: Problem, inputs: readonly Input[]): boolean =>
  inputs.some((input) => problemOf(input)?.sentence === sentence);
