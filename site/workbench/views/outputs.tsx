// The files that a job made, with what can be done with each. Of many, the first are shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { countText, extensionOf, sizeText } from "../format.ts";
import { fileAddress } from "../service.ts";
import type { Output } from "../state.ts";
import { Copy, Icon, type Page } from "./parts.tsx";

/** Outputs beyond this number are counted, and not listed. */
const MAX_LISTED = 1000;

/** @param props.first number of outputs that are listed at first */
export function Outputs({ page, outputs, first }: { page: Page; outputs: readonly Output[]; first: number }) {
  const [isWhole, setWhole] = useState(false);
  const listed = outputs.slice(0, isWhole ? MAX_LISTED : first);
  return (
    <>
      <ul class="outputs" aria-label="Files that were made">
        {listed.map((output, number) => (
          <MadeFile key={output.id} {...{ page, output, number }} isAlone={outputs.length === 1} />
        ))}
      </ul>
      {isWhole && outputs.length > MAX_LISTED && <p class="small">and {outputs.length - MAX_LISTED} more</p>}
      {outputs.length > first && (
        <button type="button" class="chip" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${outputs.length.toLocaleString("en-US")}`}
        </button>
      )}
    </>
  );
}

function MadeFile(props: { page: Page; output: Output; number: number; isAlone: boolean }) {
  const { page, output, number, isAlone } = props;
  const { id, info, isDeleted } = output;
  const name = info?.name ?? `File ${number + 1}`;
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The button that was pressed is gone, and with it the focus.
    if (isDeleted && document.activeElement === document.body) place.current?.focus();
  }, [isDeleted]);
  if (isDeleted) {
    return (
      <li class="output idle" ref={place} tabIndex={-1}>
        <span class="name">{name}</span> <span class="small">deleted</span>
      </li>
    );
  }
  return (
    <li class="output" ref={place}>
      <span class="about">
        <span class="name">{name}</span>
        <span class="small">
          {info && `${sizeText(info.size)} · ${extensionOf(info.type).toUpperCase()}`}
          {info?.pages !== undefined && ` · ${countText(info.pages, "page")}`}
        </span>
      </span>
      <span class="actions">
        <a class={isAlone ? "button primary" : "button"} href={fileAddress(id)} download={name}>
          <Icon name="download" /> Download<span class="visually-hidden"> {name}</span>
        </a>
        <button type="button" onClick={() => void page.inputs.useResults([output])}>
          <Icon name="again" /> Use as input<span class="visually-hidden">: {name}</span>
        </button>
        <Copy text={fileAddress(id)}>
          Copy address<span class="visually-hidden"> of {name}</span>
        </Copy>
        <button type="button" onClick={() => void page.jobs.deleteOutputs([id])}>
          <Icon name="trash" /> Delete now<span class="visually-hidden">: {name}</span>
        </button>
      </span>
    </li>
  );
}
