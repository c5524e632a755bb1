// Tests reading of tagged pages: what their tags state, tags that describe nothing, and hostile trees.
import { describe, expect, test } from "vitest";
import { parsePages } from "../../../../src/document/contract/pages.ts";
import { extractText } from "../../../../src/operations/extract-text.ts";
import { pdfToMarkdown } from "../../../../src/operations/pdf-to-markdown.ts";
import { outputsOf } from "../../../support/operations.ts";
import { element, type TaggedLine, type TaggedOptions, taggedPdf } from "../../../support/tagged-pdfs.ts";

const pages = parsePages("1-last")!;

async function markdownOf(pdf: Uint8Array): Promise<string> {
  const [output] = await outputsOf(pdfToMarkdown, [pdf], { pages, pageBreakComments: false });
  return Buffer.from(output!).toString();
}

async function blocksOf(pdf: Uint8Array) {
  const params = { pages, fullText: "off", preserveLineBreaks: false, layout: true } as const;
  const [output] = await outputsOf(extractText, [pdf], { ...params, wordStyle: false, wordCoordinates: false });
  return JSON.parse(Buffer.from(output!).toString()).layout.pages[0].blocks;
}

const line = (text: string, y: number, more: Partial<TaggedLine> = {}): TaggedLine => ({ text, y, ...more });
const SENTENCE = "This sentence is long enough for a line.";

describe("tags state", () => {
  test("headings and the order of the text, whatever it looks like", async () => {
    const pdf = taggedPdf([
      element("H2", [line("Read first", 60)]),
      element("P", [line(SENTENCE, 150), line("It goes on at another place.", 100)]),
    ]);
    expect(await markdownOf(pdf)).toBe(`## Read first\n\n${SENTENCE} It goes on at another place.\n\n`);
  });

  test("types of a program that its role map leads to standard ones", async () => {
    const pdf = taggedPdf([element("Heading#201", [line("Title", 150)]), element("P", [line(SENTENCE, 100)])], {
      change: (builder, { root, elements, owners }) =>
        builder.set(
          root,
          `<</K[${elements.join(" ")}]/ParentTree<</Nums[0 ${owners}]>>/RoleMap<</Heading#201/Top/Top/H1>>>>`,
        ),
    });
    expect(await markdownOf(pdf)).toBe(`# Title\n\n${SENTENCE}\n\n`);
  });

  test("items of lists in lists, and their markers", async () => {
    const item = (marker: string, text: string, y: number, kids: ReturnType<typeof element>[] = []) =>
      element("LI", [
        element("Lbl", [line(marker, y)]),
        element("LBody", [element("P", [line(text, y, { x: 40 })]), ...kids]),
      ]);
    const inner = element("L", [item("a.", "inside", 140)]);
    const pdf = taggedPdf([element("L", [item("1.", "one", 160, [inner]), item("2.", "two", 120)])]);
    expect(await markdownOf(pdf)).toBe("1. one\n    - inside\n2. two\n");
  });

  test("cells over several rows and columns", async () => {
    const pdf = taggedPdf([
      element("Table", [
        element("TR", [
          element("TH", [line("A", 160)], "/A<</O/Table/ColSpan 2>>"),
          element("TH", [line("B", 160, { x: 120 })]),
        ]),
        element("TR", [
          element("TD", [line("1", 140)], "/A[<</O/Layout>> <</O/Table/RowSpan 2>>]"),
          element("TD", [line("2", 140, { x: 70 })]),
          element("TD", [line("3", 140, { x: 120 })]),
        ]),
        element("TR", [element("TD", [line("4", 120, { x: 70 })])]),
      ]),
    ]);
    const [table] = await blocksOf(pdf);
    expect(table).toMatchObject({ kind: "table", rowCount: 3, columnCount: 3, headerRows: 1 });
    expect(
      table.cells.map(({ row, column, rowSpan, columnSpan, text }: Record<string, unknown>) =>
        [row, column, rowSpan, columnSpan, text].join(" "),
      ),
    ).toEqual(["0 0 1 2 A", "0 2 1 1 B", "1 0 2 1 1", "1 1 1 1 2", "1 2 1 1 3", "2 1 1 1 4", "2 2 1 1 "]);
  });

  test("replacement texts", async () => {
    const pdf = taggedPdf([
      element("P", [line("The sign", 150), element("Span", [line("x", 150, { x: 60 })], "/ActualText(for all)")]),
    ]);
    expect(await markdownOf(pdf)).toBe("The sign for all\n\n");
  });

  test("parts of a word in several elements", async () => {
    const pdf = taggedPdf([
      element("P", [line("un", 150), element("Span", [line("do", 150, { x: 31.12 })]), line("x", 150, { x: 60 })]),
    ]);
    expect(await markdownOf(pdf)).toBe("undo x\n\n");
  });

  test("untagged text at the edges is no content, and other untagged text stays", async () => {
    const pdf = taggedPdf(
      [element("P", [line(SENTENCE, 150), line(SENTENCE, 138)]), element("P", [line("End of it.", 60)])],
      { untagged: [line("Page seven", 10), line("Note", 100)] },
    );
    expect(await markdownOf(pdf)).toBe(`${SENTENCE} ${SENTENCE}\n\nNote\n\nEnd of it.\n\n`);
    expect((await blocksOf(pdf)).map(({ kind }: { kind: string }) => kind)).toEqual([
      "paragraph",
      "paragraph",
      "paragraph",
      "running",
    ]);
  });
});

describe("tags are ignored", () => {
  const sentence = (at: number) => [`Sentence ${at} begins here with some words and`, "ends in its second line."];
  const rows = [1, 2, 3, 4, 5, 6].flatMap((at) =>
    sentence(at).map((text, part) => line(text, 200 - at * 30 - part * 11)),
  );
  const plain = [1, 2, 3, 4, 5, 6].map((at) => sentence(at).join(" "));

  test.each([
    ["one paragraph for the whole page", [element("P", rows)]],
    ["one paragraph for each line", rows.map((row) => element("P", [row]))],
    ["an order from bottom to top", rows.toReversed().map((row) => element("P", [row]))],
  ])("%s", async (_, top) => {
    expect((await markdownOf(taggedPdf(top))).trim().split("\n\n")).toEqual(plain);
  });

  test("if much of the text is outside of them", async () => {
    const pdf = taggedPdf([element("H1", [line("Tagged", 60)])], { untagged: rows.slice(0, 4) });
    expect((await blocksOf(pdf)).at(-1)).toMatchObject({ text: "Tagged" });
  });
});

describe("hostile trees", () => {
  const top = [element("H1", [line("Title", 150)]), element("P", [line(SENTENCE, 120)])];
  const change = (write: NonNullable<TaggedOptions["change"]>) => taggedPdf(top, { change: write });

  test.each<[name: string, pdf: Uint8Array]>([
    [
      "parents in a circle",
      change((builder, { elements: [one, two] }) => {
        builder.set(one!, `<</S/H1/P ${two}/K 0>>`);
        builder.set(two!, `<</S/P/P ${one}/K[1 ${one}]>>`);
      }),
    ],
    [
      "kids in a circle",
      change((builder, { root, elements: [one, two] }) => {
        builder.set(one!, `<</S/Div/P ${root}/K[0 ${two} ${one} ${root}]>>`);
        builder.set(two!, `<</S/P/P ${one}/K[1 ${one}]>>`);
      }),
    ],
    [
      "100,000 levels",
      change((builder, { root, elements: [one] }) => {
        let parent = root;
        for (let level = 0; level < 100_000; level++) parent = builder.add(`<</S/Div/P ${parent}>>`);
        builder.set(one!, `<</S/H1/P ${parent}/K 0>>`);
      }),
    ],
    [
      "a million kids",
      change((builder, { root, elements, owners }) =>
        builder.set(root, `<</K[${"null ".repeat(1_000_000)}${elements.join(" ")}]/ParentTree<</Nums[0 ${owners}]>>>>`),
      ),
    ],
    [
      "identifiers out of range",
      change((builder, { elements: [one, two] }) => {
        builder.set(one!, `<</S/H1/K[-1 99999999999 1e30 4 (a) /b [0] << /MCID -5 >>]>>`);
        builder.set(two!, "<</S/P/K<</MCID 7000>>>>");
      }),
    ],
    [
      "no parent tree",
      change((builder, { root, elements }) => builder.set(root, `<</Type/StructTreeRoot/K[${elements.join(" ")}]>>`)),
    ],
    [
      "a parent tree in a circle",
      change((builder, { root, elements }) =>
        builder.set(root, `<</K[${elements.join(" ")}]/Kids[${root}]/Limits[0 9]/ParentTree ${root}>>`),
      ),
    ],
    ["owners that are no elements", change((builder, { owners }) => builder.set(owners, "[1 (a) null [] /x]"))],
    [
      "spans over everything",
      taggedPdf([
        element(
          "Table",
          [1, 2].map((at) =>
            element("TR", [
              element("TD", [line("Title", 200 - 50 * at)], "/A<</RowSpan 99999999/ColSpan 99999999>>"),
              element("TD", [line(SENTENCE, 200 - 50 * at, { x: 80 })]),
            ]),
          ),
        ),
      ]),
    ],
  ])("%s: the text stays", async (_, pdf) => {
    const text = (await markdownOf(pdf)).replace(/<[^>]*>/g, " ");
    expect(text).toContain("Title");
    expect(text).toContain(SENTENCE);
  });
});
