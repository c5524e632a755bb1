// One file of the list: its state, its place, and its pages in a merge.
import { useState } from "preact/hooks";
import { checkValue } from "../checks.ts";
import { countText, endText, sizeText } from "../format.ts";
import type { Input } from "../state.ts";
import { Icon, type Page } from "./parts.tsx";

interface FileRowProps {
  readonly page: Page;
  readonly input: Input;
  readonly index: number;
  readonly canOrder: boolean;
}

/** Type of what is dragged: the key of a file. */
const DRAGGED = "application/x-workbench-file";

export function FileRow({ page, input, index, canOrder }: FileRowProps) {
  const [isOver, setOver] = useState(false);
  const { inputs } = page;
  const { key, name } = input;
  const move = (to: number) => inputs.move(key, to);
  return (
    <li
      class={`file ${isOver ? "over" : ""}`}
      draggable={canOrder}
      onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, String(key))}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const dragged = event.dataTransfer?.getData(DRAGGED);
        if (!dragged) return;
        event.preventDefault();
        inputs.move(Number(dragged), index);
      }}
      onKeyDown={(event) => {
        if (!canOrder || !event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
        event.preventDefault();
        move(index + (event.key === "ArrowUp" ? -1 : 1));
      }}
    >
      {canOrder && (
        <span class="grip">
          <Icon name="grip" />
        </span>
      )}
      <span class="about">
        <span class="name">{name}</span>
        <span class="small">{factsOf(input)}</span>
      </span>
      {canOrder && (
        <span class="moves">
          <button type="button" class="quiet" disabled={index === 0} onClick={() => move(index - 1)}>
            <Icon name="up" />
            <span class="visually-hidden">Move {name} up</span>
          </button>
          <button
            type="button"
            class="quiet"
            disabled={index === page.state.inputs.length - 1}
            onClick={() => move(index + 1)}
          >
            <Icon name="down" />
            <span class="visually-hidden">Move {name} down</span>
          </button>
        </span>
      )}
      <button type="button" class="quiet" onClick={() => inputs.remove(key)}>
        <Icon name="remove" />
        <span class="visually-hidden">Remove {name}</span>
      </button>
      <Upload input={input} />
      <MergedPages page={page} input={input} />
    </li>
  );
}

function factsOf({ file, url, info, id, isResult, isRefused }: Input): string {
  if (isRefused) return "not stored";
  if (url !== undefined) return "fetched by the service";
  const until = info?.expires === undefined ? "" : ` until ${endText(info.expires)}`;
  const facts = [
    ...(info || file ? [sizeText(info?.size ?? file!.size)] : []),
    ...(info?.pages === undefined ? [] : [countText(info.pages, "page")]),
    ...(id === undefined ? ["not stored yet"] : [`${isResult ? "result, " : ""}stored${until}`]),
  ];
  return facts.join(" · ");
}

function Upload({ input: { name, sent, id, isRefused } }: { input: Input }) {
  if (sent === undefined || id !== undefined || isRefused || sent === 0) return null;
  return <progress class="upload" value={sent} max={1} aria-label={`Upload of ${name}`} />;
}

/** The pages that a merge takes of this file. */
function MergedPages({ page, input }: { page: Page; input: Input }) {
  const { state, inputs } = page;
  const field = state.service?.operations.get(state.path)?.perInput;
  if (!field) return null;
  const id = `pages-${input.key}`;
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
