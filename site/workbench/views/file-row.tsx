// A row of the file list: first page, state, buttons to move the file, and page selection in a merge.
import { useEffect, useRef } from "preact/hooks";
import { checkValue } from "../model/checks.ts";
import { countText, endText, sizeText } from "../model/format.ts";
import type { Input, State } from "../model/state.ts";
import { isLocked, pagesControlOf, problemOf } from "../session/faults.ts";
import { Icon, type ViewContext } from "./components.tsx";
import { Moves, moveByKey, useDragging } from "./order.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface FileRowProps {
  readonly page: ViewContext;
  readonly input: Input;
  readonly index: number;
  /** The reason why the operation cannot use the file; undefined if it can. */
  readonly whyUnusable: string | undefined;
  readonly canOrder: boolean;
}

/** Media type of the dragged data: the key of a file. */
const DRAGGED = "application/x-workbench-file";

export function FileRow({ page, input, index, whyUnusable, canOrder }: FileRowProps) {
  const row = useRef<HTMLLIElement>(null);
  const { inputs, state } = page;
  const { key, name } = input;
  const order = { name, index, count: state.inputs.length, move: (to: number) => inputs.move(key, to) };
  const { isOver, source, target } = useDragging(DRAGGED, String(key), (dragged) =>
    inputs.move(Number(dragged), index),
  );
  // Also shows the error of an input that could not be stored, even if the operation can use it because the job itself
  // fetches the URL.
  const complaint = whyUnusable ?? (input.id === undefined ? problemOf(input)?.sentence : undefined);
  const facts = factsOf(input, state);
  useEffect(() => {
    // Keeps a focused row visible in the scrolling list after it was moved, or has grown because of an error.
    if (row.current?.contains(document.activeElement)) row.current.scrollIntoView({ block: "nearest" });
  }, [index, facts, complaint]);
  return (
    <li
      ref={row}
      class={`file ${isOver ? "over" : ""} ${whyUnusable === undefined ? "" : "bad"}`}
      draggable={canOrder}
      {...source}
      {...target}
      onKeyDown={(event) => canOrder && moveByKey(event, order)}
    >
      {canOrder && (
        <span class="grip">
          <Icon name="grip" />
        </span>
      )}
      <Thumbnail input={input} />
      <span class="about">
        <span class="name">{name}</span>
        <span class="small">{facts}</span>
      </span>
      <button type="button" class="quiet" onClick={() => inputs.remove(key)}>
        <Icon name="remove" />
        <span class="visually-hidden">Remove {name}</span>
      </button>
      {complaint && <span class="complaint whole">{complaint}</span>}
      <Upload input={input} />
      <MergedPages page={page} input={input} />
      {canOrder && <Moves {...order} />}
    </li>
  );
}

function factsOf(input: Input, state: State): string {
  const { file, url, info, id, isResult } = input;
  if (input.isRefused || input.problem) return "not stored";
  const waiting = state.service?.keyed && state.apiKey === "" ? "waits for your key" : "not stored yet";
  const until = info?.expires === undefined ? "" : ` until ${endText(info.expires)}`;
  const facts = [
    ...(info || file ? [sizeText(info?.size ?? file!.size)] : []),
    ...(info?.pages === undefined ? [] : [countText(info.pages, "page")]),
    ...(isLocked(input) ? ["needs a password"] : []),
    ...(url === undefined ? [] : ["fetched by the service"]),
    ...(id !== undefined ? [`${isResult ? "result, " : ""}stored${until}`] : url === undefined ? [waiting] : []),
  ];
  return facts.join(" · ");
}

function Upload({ input: { name, sent, id, isRefused, problem } }: { input: Input }) {
  if (sent === undefined || id !== undefined || isRefused || problem || sent === 0) return null;
  return <progress class="upload" value={sent} max={1} aria-label={`Upload of ${name}`} />;
}

/** The field for the page selection of this file in a merge. */
function MergedPages({ page, input }: { page: ViewContext; input: Input }) {
  const { state, inputs } = page;
  const field = state.service?.operations.get(state.path)?.perInput;
  if (!field || input.field !== undefined) return null;
  const id = pagesControlOf(input);
  const complaint = checkValue(field, input.pages, (input.pdf ?? input).info?.pages);
  return (
    <span class="merged-pages">
      <label for={id}>
        Pages<span class="visually-hidden"> of {input.name}</span>
      </label>
      <input
        id={id}
        value={input.pages}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={complaint !== undefined}
        aria-describedby={`${id}-complaint`}
        onInput={(event) => inputs.setPages(input.key, event.currentTarget.value)}
      />
      <span class="complaint" id={`${id}-complaint`} aria-live="polite">
        {complaint}
      </span>
    </span>
  );
}
