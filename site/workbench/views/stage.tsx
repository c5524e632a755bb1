// What there is to see: the chosen document, or what was made of it.
import { useEffect, useRef, useState } from "preact/hooks";
import { changeText, countText, extensionOf, sizeText } from "../format.ts";
import { pairAt, pairCount, sideOf } from "../pairs.ts";
import { inputsOf } from "../request.ts";
import { fileAddress } from "../service.ts";
import type { Output, Result } from "../state.ts";
import { Comparison } from "./comparison.tsx";
import { Icon, type Page } from "./parts.tsx";

/** Outputs beyond this number are counted, and not listed. */
const MAX_LISTED = 200;

export function Stage({ page }: { page: Page }) {
  const { result } = page.state;
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow page, the result is below the form; on a wide one, its beginning may be above the window.
    const top = place.current?.getBoundingClientRect().top ?? 0;
    if (result && (top < 0 || top > innerHeight / 2)) place.current!.scrollIntoView();
  }, [result?.outputs[0]?.id]);
  return (
    <section ref={place} class="card stage" aria-labelledby="stage-title" id="stage">
      <h2 id="stage-title">{result ? "Result" : "Preview"}</h2>
      {result ? <Made {...{ page, result }} /> : <Chosen page={page} />}
    </section>
  );
}

function Chosen({ page }: { page: Page }) {
  const { state } = page;
  const operation = state.service?.operations.get(state.path);
  const input = operation && inputsOf(operation, state)[0];
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [input?.key]);
  const file =
    input?.id === undefined
      ? undefined
      : { id: input.id, isDeleted: false, ...(input.info ? { info: input.info } : {}) };
  const side = sideOf(file, index + 1);
  if (!side) {
    return (
      <div class="empty">
        <div class="paper" aria-hidden="true">
          <i />
          <i />
          <i />
          <i />
        </div>
        <p>{input ? "Run the operation to see pages of this document." : "Pages appear here."}</p>
      </div>
    );
  }
  const count = side.type === "application/pdf" ? file?.info?.pages : 1;
  return <Comparison {...{ page, count, index }} pair={{ before: side }} onIndex={setIndex} />;
}

function Made({ page, result }: { page: Page; result: Result }) {
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [result.outputs[0]?.id]);
  const { outputs, input, notices, fonts } = result;
  const pair = pairAt(result, index);
  return (
    <>
      <Sizes result={result} />
      <ul class="outputs" aria-label="Files that were made">
        {outputs.slice(0, MAX_LISTED).map((output, number) => (
          <MadeFile key={output.id} {...{ page, output, number }} isWide={outputs.length === 1} />
        ))}
      </ul>
      {outputs.length > MAX_LISTED && <p class="small">and {outputs.length - MAX_LISTED} more</p>}
      {(notices.length > 0 || fonts.length > 0) && (
        <div class="notices">
          <h3>What changed on the way</h3>
          <ul>
            {notices.map((notice) => (
              <li key={notice}>{notice}</li>
            ))}
            {fonts.map(({ name, replacedBy }) => (
              <li key={name}>
                The font {name} was replaced{replacedBy && ` by ${replacedBy}`}
              </li>
            ))}
          </ul>
        </div>
      )}
      {(pair.after || pair.before) && !outputs.every(({ isDeleted }) => isDeleted) ? (
        <Comparison {...{ page, pair, index }} count={pairCount(result)} onIndex={setIndex} />
      ) : (
        <p class="small">{noPicture(outputs, input)}</p>
      )}
    </>
  );
}

function noPicture(outputs: readonly Output[], input: Output | undefined): string {
  if (outputs.every(({ isDeleted }) => isDeleted)) return "Nothing of it is stored any more.";
  const type = outputs[0]?.info?.type ?? input?.info?.type ?? "";
  const name = { "image/tiff": "TIFF files", "application/zip": "archives", "text/html": "HTML files" }[
    type.split(";")[0]!
  ];
  return `Download it to look inside${name ? `: ${name} have no preview` : ""}.`;
}

function Sizes({ result: { outputs, input, requestSeconds } }: { result: Result }) {
  const after = outputs.reduce((sum, { info }) => sum + (info?.size ?? 0), 0);
  const before = input?.info?.size;
  const change = before === undefined || outputs.length > 1 ? undefined : changeText(before, after);
  const seconds = requestSeconds.toLocaleString("en-US", { maximumFractionDigits: requestSeconds < 10 ? 1 : 0 });
  return (
    <dl class="sizes">
      {before !== undefined && (
        <div>
          <dt>Before</dt>
          <dd>{sizeText(before)}</dd>
        </div>
      )}
      <div>
        <dt>After</dt>
        <dd>
          {outputs.length > 1 && `${countText(outputs.length, "file")}, `}
          {sizeText(after)}
        </dd>
      </div>
      {change && (
        <div>
          <dt>Change</dt>
          <dd>{change}</dd>
        </div>
      )}
      <div>
        <dt>Time</dt>
        <dd>{seconds} s</dd>
      </div>
    </dl>
  );
}

function MadeFile(props: { page: Page; output: Output; number: number; isWide: boolean }) {
  const { page, output, number, isWide } = props;
  const { id, info, isDeleted } = output;
  const name = info?.name ?? `File ${number + 1}`;
  if (isDeleted) {
    return (
      <li class="output idle">
        <span class="name">{name}</span> <span class="small">deleted</span>
      </li>
    );
  }
  return (
    <li class="output">
      <span class="about">
        <span class="name">{name}</span>
        <span class="small">
          {info && `${sizeText(info.size)} · ${extensionOf(info.type).toUpperCase()}`}
          {info?.pages !== undefined && ` · ${countText(info.pages, "page")}`}
        </span>
      </span>
      <span class="actions">
        <a class={isWide ? "button primary" : "button"} href={fileAddress(id)} download={name}>
          <Icon name="download" /> Download<span class="visually-hidden"> {name}</span>
        </a>
        <button type="button" onClick={() => void page.inputs.useResult(id)}>
          <Icon name="again" /> Use as input<span class="visually-hidden">: {name}</span>
        </button>
        <button type="button" onClick={() => void page.jobs.deleteOutput(id)}>
          <Icon name="trash" /> Delete now<span class="visually-hidden">: {name}</span>
        </button>
      </span>
    </li>
  );
}
