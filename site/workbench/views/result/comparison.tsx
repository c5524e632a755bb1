// Compares a page before and after the operation: overlaid with a slider, or side by side. Pages can be enlarged.
import { useEffect, useState } from "preact/hooks";
import type { Pair, Side } from "../../model/pairs.ts";
import type { Problem } from "../../model/problems.ts";
import { Icon, ProblemText } from "../components.tsx";
import { pictureAddress, problemAt } from "./picture.ts";
import { Zoom } from "./zoom.tsx";

interface ComparisonProps {
  readonly pair: Pair;
  /** Number of pairs. @default unknown */
  readonly count?: number | undefined;
  readonly index: number;
  onIndex(index: number): void;
}

export function Comparison({ pair, count, index, onIndex }: ComparisonProps) {
  const [split, setSplit] = useState(50);
  const [isBeside, setBeside] = useState(false);
  const [isZoomed, setZoomed] = useState(false);
  const both = pair.before !== undefined && pair.after !== undefined;
  const single = pair.after ?? pair.before;
  return (
    <div class="comparison">
      <div class="toolbar">
        <Pages {...{ count, index, onIndex }} />
        {both && (
          <fieldset class="segments">
            <legend class="visually-hidden">Comparison</legend>
            {(["Slider", "Side by side"] as const).map((word) => (
              <label class="choice" key={word}>
                <input
                  type="radio"
                  name="comparison"
                  checked={isBeside === (word === "Side by side")}
                  onChange={() => setBeside(word === "Side by side")}
                />
                <span>{word}</span>
              </label>
            ))}
          </fieldset>
        )}
        {single && (
          <button type="button" onClick={() => setZoomed(true)}>
            <Icon name="zoom" /> Zoom
          </button>
        )}
      </div>
      {both && !isBeside ? (
        <div class="slider">
          <div class="sheets">
            <Sheet side={pair.before} label="Before" />
            <Sheet split={split} side={pair.after} label="After" />
            <span class="divider" style={{ left: `${split}%` }} aria-hidden="true" />
          </div>
          <label class="visually-hidden" for="split">
            Part of the page that shows how it was before
          </label>
          <input
            id="split"
            type="range"
            min="0"
            max="100"
            value={split}
            aria-valuetext={`${split}% before, ${100 - split}% after`}
            onInput={(event) => setSplit(Number(event.currentTarget.value))}
          />
        </div>
      ) : (
        <div class={both ? "beside" : "alone"}>
          {both && <Sheet side={pair.before} label="Before" />}
          <Sheet side={single} label={both ? "After" : ""} />
        </div>
      )}
      {isZoomed && single && <Zoom pair={pair} onClose={() => setZoomed(false)} />}
    </div>
  );
}

function Pages({ count, index, onIndex }: Pick<ComparisonProps, "count" | "index" | "onIndex">) {
  if (count === 1) return null;
  return (
    <div class="pages">
      <button type="button" class="quiet" disabled={index === 0} onClick={() => onIndex(index - 1)}>
        <Icon name="left" />
        <span class="visually-hidden">Previous page</span>
      </button>
      <span aria-live="polite">
        {index + 1}
        {count !== undefined && ` of ${count}`}
      </span>
      <button
        type="button"
        class="quiet"
        disabled={count !== undefined && index >= count - 1}
        onClick={() => onIndex(index + 1)}
      >
        <Icon name="right" />
        <span class="visually-hidden">Next page</span>
      </button>
    </div>
  );
}

interface SheetProps {
  readonly side: Side | undefined;
  readonly label: string;
  /** Percentage of the page's width that is hidden at the left. @default 0 */
  readonly split?: number;
}

function Sheet({ side, label, split }: SheetProps) {
  const address = pictureAddress(side);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => setProblem(undefined), [address]);
  const words = label === "" ? `Page ${side?.page}` : `${label}, page ${side?.page}`;
  return (
    <figure class="sheet" {...(split === undefined ? {} : { style: { clipPath: `inset(0 0 0 ${split}%)` } })}>
      {problem ? (
        <ProblemText problem={problem} />
      ) : address === undefined ? (
        <div
          class="blank"
          role="img"
          aria-label={side ? "The page is being drawn" : "There is no picture of this page"}
        />
      ) : (
        <img src={address} alt={words} draggable={false} onError={() => void problemAt(address).then(setProblem)} />
      )}
      {label !== "" && <figcaption>{label}</figcaption>}
    </figure>
  );
}
