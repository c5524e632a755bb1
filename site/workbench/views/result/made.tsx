// Shows an outcome: sizes, files with expiry and links, notices, and the comparison of pages.
import { useEffect, useState } from "preact/hooks";
import { changeText, countText, endText, sizeText } from "../../model/format.ts";
import { fragmentOf } from "../../model/links.ts";
import { pairAt, pairCount } from "../../model/pairs.ts";
import type { Outcome, Output, Result } from "../../model/state.ts";
import { urlOf } from "../../session/service.ts";
import { Copy, Icon, Picker, ProblemBox, type ViewContext } from "../components.tsx";
import { Comparison } from "./comparison.tsx";
import { Data } from "./data.tsx";
import { Outputs } from "./outputs.tsx";

/**
 * Number of results that are listed initially, and number of outputs per result: `alone` if there is one result,
 * `beside` if there are several.
 */
const FIRST_RESULTS = 10;
const FIRST_OUTPUTS = { alone: 6, beside: 3 };

export function Made({ page, outcome }: { page: ViewContext; outcome: Outcome }) {
  const { results } = outcome;
  const [first] = results;
  return (
    <>
      <Sizes {...{ page, outcome }} />
      <All {...{ page, outcome }} />
      {results.length > 1 ? (
        <Groups {...{ page, results }} />
      ) : (
        <>
          {first!.data ? (
            <Data data={first!.data} />
          ) : (
            <Outputs
              {...{ page }}
              outputs={first!.outputs}
              first={FIRST_OUTPUTS.alone}
              label="Files that were made"
              isOnly
            />
          )}
          <Facts result={first!} Heading="h3" />
        </>
      )}
      <Look {...{ page, results }} />
    </>
  );
}

function Groups({ page, results }: { page: ViewContext; results: readonly Result[] }) {
  const [isWhole, setWhole] = useState(false);
  // Lists failed jobs first, so that they are in the shortened list.
  const failuresFirst = [...results.filter(({ problem }) => problem), ...results.filter(({ problem }) => !problem)];
  const isShort = !isWhole && results.length > FIRST_RESULTS;
  const listed = isShort ? failuresFirst.slice(0, FIRST_RESULTS) : results;
  return (
    <>
      <ul class="results" aria-label="What was made of each file">
        {listed.map((result) => (
          <li key={results.indexOf(result)}>
            <h3>{result.title}</h3>
            {result.problem ? (
              <ProblemBox problem={result.problem} />
            ) : result.data ? (
              <Data data={result.data} />
            ) : (
              <Outputs
                {...{ page }}
                outputs={result.outputs}
                first={FIRST_OUTPUTS.beside}
                label={`Files that were made of ${result.title}`}
                isOnly={false}
              />
            )}
            <Facts result={result} Heading="h4" />
          </li>
        ))}
      </ul>
      {results.length > FIRST_RESULTS && (
        <button type="button" class="chip" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer files" : `Show all ${results.length} files`}
        </button>
      )}
    </>
  );
}

/** Shows the notices of a job, and the link that opens the result. */
function Facts({ result, Heading }: { result: Result; Heading: "h3" | "h4" }) {
  const { outputs, converted, notices, fonts } = result;
  const kept = outputs.filter(({ isDeleted }) => !isDeleted);
  const link = fragmentOf(kept.map(({ id }) => id));
  return (
    <>
      {(notices.length > 0 || fonts.length > 0) && (
        <div class="notices">
          <Heading>What changed on the way</Heading>
          <ul>
            {notices.map((notice) => (
              <li key={notice}>{notice}</li>
            ))}
            {fonts.map(({ name, replacedBy, sameWidths }) => (
              <li key={name}>
                The font {name} was replaced{replacedBy && ` by ${replacedBy}`}
                {sameWidths && ", which has the same widths"}
              </li>
            ))}
          </ul>
        </div>
      )}
      {kept.length > 0 && (
        <p class="link small">
          {converted.length > 0 && <span>Converted to PDF first: {converted.join(", ")}.</span>}
          <a href={urlOf(link)}>Link to this result</a>
          <Copy text={urlOf(link)}>Copy link</Copy>
        </p>
      )}
    </>
  );
}

/** Shows the actions that apply to all files. */
function All({ page, outcome }: { page: ViewContext; outcome: Outcome }) {
  const { state, jobs, inputs } = page;
  const files = outcome.results.flatMap(({ outputs }) => outputs.filter(({ isDeleted }) => !isDeleted));
  const zip = state.service?.operations.get("/zip");
  if (files.length < 2 || !zip) return null;
  const size = state.service!.maxInputs;
  const ids = files.map(({ id }) => id);
  const numbers = Array.from({ length: Math.ceil(files.length / size) }, (_, number) => number);
  const wordsOf = (number: number) => {
    if (state.packing === number) return "Making the archive…";
    const last = Math.min((number + 1) * size, files.length);
    return numbers.length === 1 ? "Download all as ZIP" : `Download ${number * size + 1} to ${last} as ZIP`;
  };
  return (
    <div class="actions">
      {numbers.map((number) => (
        <button
          type="button"
          class="primary"
          key={number}
          aria-busy={state.packing === number}
          onClick={() => jobs.downloadArchive(outcome, ids.slice(number * size, (number + 1) * size), number)}
        >
          <Icon name="download" /> {wordsOf(number)}
        </button>
      ))}
      <button type="button" onClick={() => void inputs.useResults(files)}>
        <Icon name="again" /> Use all as input
      </button>
      <button type="button" onClick={() => void jobs.deleteOutputs(ids)}>
        <Icon name="trash" /> Delete all now
      </button>
    </div>
  );
}

/** Shows the pages of one result. */
function Look({ page, results }: { page: ViewContext; results: readonly Result[] }) {
  const seen = results.flatMap((result, number) =>
    result.problem || result.data ? [] : [[number, result.title] as const],
  );
  const [viewed, setViewed] = useState(seen[0]?.[0] ?? 0);
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [viewed]);
  const result = results[viewed] ?? results[0]!;
  if (seen.length === 0) return null;
  const pair = pairAt(result, index, operationOf(page, result.path));
  return (
    <>
      <Picker label="File to compare" items={seen} value={viewed} onChange={setViewed} />
      {(pair.after || pair.before) && !result.outputs.every(({ isDeleted }) => isDeleted) ? (
        <Comparison {...{ pair, index }} count={pairCount(result)} onIndex={setIndex} />
      ) : (
        <p class="small">{noPicture(result.outputs, result.input)}</p>
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

function Sizes({ page, outcome: { path, results, seconds } }: { page: ViewContext; outcome: Outcome }) {
  const made = results.filter(({ problem }) => !problem);
  const outputs = made.flatMap(({ outputs }) => outputs);
  const before = sizeOf(made.map(({ input }) => input));
  const after = sizeOf(outputs);
  const keeps = made[0]?.keeps ?? operationOf(page, path)?.output.keeps;
  const isComparable = before !== undefined && after !== undefined && keeps === "document";
  const change = isComparable ? changeText(before, after) : undefined;
  const end = outputs.find(({ isDeleted }) => !isDeleted)?.info?.expires;
  const count = outputs.length > 1 ? [countText(outputs.length, "file")] : [];
  const facts = [
    ...(results.length > 1 ? [["Done", `${made.length} of ${countText(results.length, "file")}`]] : []),
    ...(before === undefined ? [] : [["Before", sizeText(before)]]),
    ...(outputs.length === 0
      ? []
      : [["After", [...count, ...(after === undefined ? [] : [sizeText(after)])].join(", ")]]),
    ...(change === undefined ? [] : [["Change", change]]),
    ...(end === undefined ? [] : [["Kept until", endText(end)]]),
    ...(seconds === undefined ? [] : [["Time", `${secondsText(seconds)} s`]]),
  ];
  return (
    <dl class="sizes">
      {facts.map(([term, text]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

const operationOf = ({ state }: ViewContext, path: string) => state.service?.all.get(path);

/** Returns the total size of files; undefined if the size of a file is unknown. */
function sizeOf(files: readonly (Output | undefined)[]): number | undefined {
  const sizes = files.flatMap((file) => file?.info?.size ?? []);
  return sizes.length < Math.max(1, files.length) ? undefined : sizes.reduce((sum, size) => sum + size, 0);
}

const secondsText = (seconds: number): string =>
  seconds.toLocaleString("en-US", { maximumFractionDigits: seconds < 10 ? 1 : 0 });
