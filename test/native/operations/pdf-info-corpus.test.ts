// Compares our answers about the documents of the corpus with those of pikepdf and exiftool. `CORPUS_DIR` can name a
// folder with more documents. `read-pdf-info` compares them with poppler and qpdf.
// Contract: docs/api.md#pdf-info
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPdfInfo } from "../../../src/operations/read-pdf-info.ts";
import { corpusDir } from "../../support/corpus.ts";
import { CONTEXT, outputsOf, reasonOf } from "../../support/operations.ts";
import { pythonAnswers } from "../../support/python-readers.ts";

type Answers = Readonly<Record<string, unknown>>;

const CONTAINER = { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 };
/** Time limit for 1,000 documents on a busy machine. */
const MAX_TIME_MS = 1_800_000;
const MAX_BUFFER = 2 ** 28;
/** Maximum share of different answers. Readers disagree about damaged documents, which our corpus does not have. */
const MAX_DIFFERENT = process.env.CORPUS_DIR ? 0.005 : 0;
/** Texts with the tags of exiftool for the Info dictionary and for XMP. */
const TEXTS = {
  title: ["PDF:Title", "XMP-dc:Title"],
  author: ["PDF:Author", "XMP-dc:Creator"],
  subject: ["PDF:Subject", "XMP-dc:Description"],
  keywords: ["PDF:Keywords", "XMP-pdf:Keywords"],
  creator: ["PDF:Creator", "XMP-xmp:CreatorTool"],
  producer: ["PDF:Producer", "XMP-pdf:Producer"],
} as const;
const DATES = {
  creation_date: ["PDF:CreateDate", "XMP-xmp:CreateDate"],
  modified_date: ["PDF:ModifyDate", "XMP-xmp:ModifyDate"],
} as const;

/** Returns a text without differences of separators and control characters. */
const plain = (value: unknown): string =>
  [value ?? ""]
    .flat()
    .map((one) => (typeof one === "object" ? Object.values(one as object)[0] : one))
    .join(" ")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exiftool replaces them
    .replace(/[\s,;\u0000-\u001f]+/g, " ")
    .trim();

/** Returns the answers of exiftool, in the form of {@link comparable}. */
function answersOfExiftool(tags: Answers): Answers {
  const first = (names: readonly string[]) => names.map((name) => tags[name]).find((value) => plain(value) !== "");
  const texts = Object.entries(TEXTS).map(([query, names]) => [query, plain(first(names))]);
  const dates = Object.entries(DATES).map(([query, names]) => {
    const found = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d)(:\d\d)?/.exec(plain(first(names)));
    return [query, found ? `${found.slice(1, 4).join("-")}T${found[4]}${found[5] ?? ":00"}` : ""];
  });
  const isTrue = (name: string) => tags[name] === true || tags[name] === "Yes";
  return {
    ...Object.fromEntries([...texts, ...dates]),
    ...{
      doc_language: tags["PDF:Language"] ?? "",
      tagged: isTrue("PDF:TaggedPDF"),
      contains_xfa: isTrue("PDF:HasXFA"),
    },
    ...{ page_count: tags["PDF:PageCount"] },
    ...{ pdfa: "XMP-pdfaid:Part" in tags, pdfua_claim: "XMP-pdfuaid:Part" in tags },
  };
}

/** Returns the answers of pikepdf, in the form of {@link comparable}. It does not read texts of XMP. */
function answersOfPikepdf({ info, ...answers }: Answers): Answers {
  const texts = Object.entries(info as object).flatMap(([query, text]) =>
    plain(text) === "" ? [] : [[query, plain(text)]],
  );
  return { ...answers, ...Object.fromEntries(texts) };
}

/** Returns our answers without what neither reader states. */
function comparable(answers: Answers): Answers {
  const texts = Object.keys(TEXTS).map((query) => [query, plain(answers[query])]);
  const boxes = (answers.page_boxes as { page: number }[]).map(({ page: _, ...sides }) => sides);
  const fonts = (answers.fonts as { name: string; type: string; embedded: boolean }[])
    .map(({ name, type, embedded }) => [name, type, embedded] as const)
    .toSorted((a, b) => Number(String(a) > String(b)) - Number(String(a) < String(b)));
  return { ...answers, ...Object.fromEntries(texts), page_boxes: boxes, fonts, pdfa: Boolean(answers.pdfa) };
}

/** Returns a value with numbers of limited precision, as a text. */
const written = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "number" ? Number(part.toPrecision(6)) : part)) ?? "";

async function answersOf(path: string): Promise<Answers | undefined> {
  let answer: Uint8Array | undefined;
  const ask = async () => {
    [answer] = await outputsOf(readPdfInfo, [new Uint8Array(readFileSync(path))], { queries: ["all"] }, CONTAINER);
  };
  const reason = await reasonOf(ask);
  expect(["none", "damaged", "not-a-pdf"], path).toContain(reason);
  return answer && JSON.parse(new TextDecoder().decode(answer));
}

test.skipIf(!corpusDir)(
  "answers agree with pikepdf and exiftool",
  async (context) => {
    const read = await pythonAnswers(context);
    const folder = join(corpusDir!, "pdf");
    const paths = readdirSync(folder).flatMap((name) => (name.endsWith(".pdf") ? [join(folder, name)] : []));
    const ofPikepdf = read(paths);
    const tags = JSON.parse(
      execFileSync("exiftool", ["-json", "-G1", "-struct", ...paths], {
        ...{ encoding: "utf8", maxBuffer: MAX_BUFFER, stdio: ["ignore", "pipe", "ignore"] },
      }),
    ) as Answers[];
    const differences: string[] = [];
    let count = 0;
    for (const [index, path] of paths.entries()) {
      const own = await answersOf(path);
      const pikepdf = ofPikepdf[index]!;
      if (!own || "error" in pikepdf) continue;
      expect(own.requires_password_to_open, path).toBe("locked" in pikepdf);
      if (own.requires_password_to_open) continue;
      const given = comparable(own);
      const others = { pikepdf: answersOfPikepdf(pikepdf), exiftool: answersOfExiftool(tags[index]!) };
      for (const [reader, answers] of Object.entries(others)) {
        for (const [query, answer] of Object.entries(answers)) {
          count++;
          if (written(given[query]) === written(answer)) continue;
          differences.push(`${path} ${query}: ${written(given[query])}, ${reader}: ${written(answer)}`);
        }
      }
    }
    console.log([`${count} answers, ${differences.length} differences`, ...differences].join("\n"));
    expect(count).toBeGreaterThan(0);
    expect(differences.length / count).toBeLessThanOrEqual(MAX_DIFFERENT);
  },
  MAX_TIME_MS,
);
