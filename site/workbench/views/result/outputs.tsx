// Lists the output files of a job, with actions for each file. A long list is shortened.
import { useEffect, useRef, useState } from "preact/hooks";
import { countText, extensionOf, sizeText } from "../../model/format.ts";
import type { Output } from "../../model/state.ts";
import { fileAddress } from "../../session/service.ts";
import { Copy, Icon, type ViewContext } from "../components.tsx";

/** Maximum number of listed outputs, because rendering thousands takes seconds. Further outputs are only counted. */
const MAX_LISTED = 250;

interface OutputsProps {
  readonly page: ViewContext;
  readonly outputs: readonly Output[];
  /** Number of outputs that are listed initially. */
  readonly first: number;
  readonly label: string;
  /** True if this is the only job with outputs. */
  readonly isOnly: boolean;
}

export function Outputs({ page, outputs, first, label, isOnly }: OutputsProps) {
  const [isWhole, setWhole] = useState(false);
  const most = Math.min(outputs.length, MAX_LISTED);
  const listed = outputs.slice(0, isWhole ? most : first);
  return (
    <>
      <ul class="outputs" aria-label={label}>
        {listed.map((output, number) => (
          <MadeFile key={output.id} {...{ page, output, number }} isAlone={isOnly && outputs.length === 1} />
        ))}
      </ul>
      {isWhole && outputs.length > MAX_LISTED && <p class="small">and {outputs.length - MAX_LISTED} more</p>}
      {outputs.length > first && (
        <button type="button" class="chip" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show ${outputs.length > MAX_LISTED ? "the first" : "all"} ${most}`}
        </button>
      )}
    </>
  );
}

function MadeFile(props: { page: ViewContext; output: Output; number: number; isAlone: boolean }) {
  const { page, output, number, isAlone } = props;
  const { id, info, isDeleted } = output;
  const name = info?.name ?? `File ${number + 1}`;
  const elementRef = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The button that was pressed no longer exists, so the focus must move.
    if (isDeleted && document.activeElement === document.body) elementRef.current?.focus();
  }, [isDeleted]);
  if (isDeleted) {
    return (
      <li class="output idle" ref={elementRef} tabIndex={-1}>
        <span class="name">{name}</span> <span class="small">deleted</span>
      </li>
    );
  }
  // If there are several jobs, a row is one line. Its buttons are icons with tooltips.
  const words = isAlone ? "" : "visually-hidden";
  return (
    <li class="output" ref={elementRef}>
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
        <button type="button" title="Use as input" onClick={() => void page.inputs.useResults([output])}>
          <Icon name="again" /> <span class={words}>Use as input</span>
          <span class="visually-hidden">: {name}</span>
        </button>
        <Copy text={fileAddress(id)} title="Copy address">
          <span class={words}>Copy address</span>
          <span class="visually-hidden">: {name}</span>
        </Copy>
        <button type="button" title="Delete now" onClick={() => void page.jobs.deleteOutputs([id])}>
          <Icon name="trash" /> <span class={words}>Delete now</span>
          <span class="visually-hidden">: {name}</span>
        </button>
      </span>
    </li>
  );
}
