// Tests the layout of pages whose text and lines have known places.
import { describe, expect, test } from "vitest";
import { DocumentLayout } from "../../../../src/document/layout/document-layout.ts";
import type { PageText } from "../../../../src/document/layout/lines/page-text.ts";
import { flowingText } from "../../../../src/document/layout/lines/plain-text.ts";
import { MarkdownWriter, markdownOf } from "../../../../src/document/layout/markdown.ts";
import { type PlacedText, pageOf, rule } from "../../../support/page-texts.ts";

async function* each(pages: readonly PageText[]) {
  yield* pages;
}

async function read(...pages: readonly PageText[]) {
  const layout = new DocumentLayout();
  const blocks = [];
  for await (const page of layout.read(each(pages))) blocks.push(...page.blocks);
  return {
    texts: blocks.map((block) => `${block.kind}: ${flowingText(block, layout.hyphens)}`),
    markdown: markdownOf(blocks, layout.hyphens),
  };
}

/** Returns lines below each other, 12 points apart. */
const lines = (x: number, y: number, texts: readonly string[], more: Partial<PlacedText> = {}): PlacedText[] =>
  texts.map((text, at) => ({ text, x, y: y + at * 12, ...more }));

const WORDS = "one two three four five six seven eight nine ten";

describe("order", () => {
  const left = lines(40, 100, [
    "left begins with this line of text,",
    "and the left column goes on with",
    "further lines that are as long as",
    "others, and then it ends.",
  ]);
  const right = lines(320, 100, [
    "Right begins with this line of text",
    "and the right column goes on with",
    "further lines that are as long as",
    "others, and then it ends.",
  ]);

  test("the left column comes first, however the page is drawn", async () => {
    const drawn = left.flatMap((line, at) => [line, right[at]!]);
    const { texts } = await read(pageOf(drawn));
    expect(texts.map((text) => text.slice(0, 22))).toEqual(["paragraph: left begins", "paragraph: Right begin"]);
  });

  test("a title over both columns comes before them", async () => {
    const title = { text: "A title over both of the columns below it", x: 100, y: 60, size: 18 };
    const { texts } = await read(pageOf([...right, ...left, title]));
    expect(texts.map((text) => text.slice(0, 16))).toEqual([
      "heading: A title",
      "paragraph: left ",
      "paragraph: Right",
    ]);
  });

  test("a column with more numbers than text is beside another column, also if a number is too long", async () => {
    const numbers = Array.from({ length: 20 }, (_, row) =>
      ["100", "2000", "31.2", row === 9 ? "4000000.125" : "4.5"].map((text, at) => ({
        ...{ text, x: 40 + at * 60, y: 100 + row * 15 },
      })),
    ).flat();
    const below = [...left, ...left, ...left, ...left].map((line, at) => ({ ...line, y: 410 + at * 12 }));
    const code = lines(
      280,
      100,
      Array.from({ length: 40 }, (_, at) => `a line ${at} of code`),
    );
    const { texts } = await read(pageOf([...numbers, ...below, ...code]));
    expect(texts.findIndex((text) => text.includes("line 0 of code"))).toBeGreaterThan(
      texts.findLastIndex((text) => text.includes("and then it ends.")),
    );
    expect(texts.at(-1)).toContain("line 0 of code");
  });

  test("columns with a narrow space between them are apart", async () => {
    const column = (x: number, name: string) =>
      lines(
        x,
        100,
        Array.from({ length: 40 }, () => `${name} has a line of text as long as these`),
      );
    const { texts } = await read(pageOf([...column(40, "left"), ...column(248, "right")]));
    expect(texts).toHaveLength(1);
    expect(texts[0]!.indexOf("right")).toBeGreaterThan(texts[0]!.lastIndexOf("left"));
  });

  test("a sentence goes on in the next column", async () => {
    const open = [...left.slice(0, 3), { ...left[3]!, text: "others, and it goes on" }];
    const next = [{ ...right[0]!, text: "in this line of the second column," }, ...right.slice(1)];
    expect((await read(pageOf([...open, ...next]))).texts).toHaveLength(1);
  });
});

describe("paragraphs", () => {
  test.each([
    ["a wider space", [...lines(40, 100, [WORDS, WORDS]), ...lines(40, 136, [WORDS])], 2],
    ["an indent", [...lines(40, 100, [WORDS, WORDS]), ...lines(52, 124, [WORDS]), ...lines(40, 136, [WORDS])], 2],
    ["room at the end of a line", lines(40, 100, [WORDS, "one two", WORDS]), 2],
    ["another size", [...lines(40, 100, [WORDS, WORDS]), ...lines(40, 124, [WORDS], { size: 8 })], 2],
    ["nothing", lines(40, 100, [WORDS, WORDS, WORDS]), 1],
  ])("%s divides them", async (_, texts, count) => {
    expect((await read(pageOf(texts))).texts).toHaveLength(count);
  });

  test("a hyphen goes if the whole word is elsewhere, and stays if it is part of a word", async () => {
    const divided = lines(40, 100, ["nine ten eleven twelve thirteen recog-", "nition and recognition, well-known"]);
    expect((await read(pageOf(divided))).texts).toEqual([
      "paragraph: nine ten eleven twelve thirteen recognition and recognition, well-known",
    ]);
    const kept = lines(40, 100, ["one two three four five six seven well-", "known and then another well-known one"]);
    expect((await read(pageOf(kept))).texts[0]).toContain("seven well-known and");
  });
});

describe("roles", () => {
  test("headings by size and weight", async () => {
    const { markdown } = await read(
      pageOf([
        { text: "Title", x: 40, y: 60, size: 20 },
        { text: "Section", x: 40, y: 100, size: 14 },
        ...lines(40, 130, [WORDS, WORDS, WORDS]),
        { text: "In bold", x: 40, y: 190, isBold: true },
        ...lines(40, 210, [WORDS, WORDS]),
      ]),
    );
    expect(markdown.match(/^#+ .*$/gm)).toEqual(["# Title", "## Section", "### In bold"]);
  });

  test("neither terms in bold, which have definitions, nor captions are headings", async () => {
    const { texts } = await read(
      pageOf([
        ...lines(40, 100, [WORDS, WORDS]),
        { text: "term", x: 40, y: 140, isBold: true },
        ...lines(60, 152, [WORDS, WORDS]),
        { text: "Рисунок 2.9. Picture", x: 40, y: 200, isBold: true },
        { text: "Topic", x: 40, y: 230, isBold: true },
        ...lines(40, 244, [WORDS, WORDS]),
      ]),
    );
    expect(texts.filter((text) => text.startsWith("heading"))).toEqual(["heading: Topic"]);
    expect(texts).toContain("caption: Рисунок 2.9. Picture");
  });

  test("what pages repeat is left out of Markdown", async () => {
    const pages = [1, 2, 3].map((number) =>
      pageOf(
        [
          { text: `Chapter ${number}`, x: 40, y: 30 },
          ...lines(40, 200, [`${WORDS} ${"abc"[number - 1]}`]),
          { text: String(number), x: 300, y: 780 },
        ],
        [],
        number,
      ),
    );
    const { markdown, texts } = await read(...pages);
    expect(markdown).toBe(["a", "b", "c"].map((one) => `${WORDS} ${one}\n\n`).join(""));
    expect(texts.filter((text) => text.startsWith("running"))).toHaveLength(6);
  });

  test.each([1, 2])("numbers of %i pages are left out, also far from the edge", async (count) => {
    const pages = Array.from({ length: count }, (_, at) =>
      pageOf([...lines(40, 500, [WORDS, "2"]), { text: String(at + 1), x: 300, y: 640 }], [], at + 1),
    );
    const { texts } = await read(...pages);
    expect(texts.filter((text) => text.startsWith("running"))).toHaveLength(count);
  });

  test("items, by their markers and indents", async () => {
    const { markdown } = await read(
      pageOf([
        ...lines(40, 100, ["• first item", "• second item"]),
        ...lines(60, 124, ["– deeper item"]),
        ...lines(40, 136, ["• third item"]),
        ...lines(40, 180, ["1. number one", "2. number two"]),
      ]),
    );
    expect(markdown).toBe(
      "- first item\n- second item\n    - deeper item\n- third item\n1. number one\n2. number two\n",
    );
  });

  test("code keeps its lines, indents and blank lines", async () => {
    const code = [
      ...lines(40, 100, ["if (a) {", "  b();"], { isMonospaced: true }),
      ...lines(40, 136, ["}"], { isMonospaced: true }),
    ];
    expect((await read(pageOf(code))).markdown).toBe("```\nif (a) {\n  b();\n\n}\n```\n\n");
  });
});

describe("tables", () => {
  const cells = [
    ["Name", "Size"],
    ["a.pdf", "12"],
    ["b.pdf", "7"],
  ];
  const texts = cells.flatMap((row, y) =>
    row.map((text, x): PlacedText => ({ text, x: 50 + x * 100, y: 100 + y * 20, isBold: y === 0 })),
  );

  test("by lines around the cells", async () => {
    const across = [85, 105, 125, 145].map((y) => rule(40, y, 240, y));
    const down = [40, 140, 240].map((x) => rule(x, 85, x, 145));
    expect((await read(pageOf(texts, [...across, ...down]))).markdown).toBe(
      "| Name | Size |\n| --- | --- |\n| a.pdf | 12 |\n| b.pdf | 7 |\n\n",
    );
  });

  test("by alignment", async () => {
    expect((await read(pageOf(texts))).markdown).toBe(
      "| Name | Size |\n| --- | --- |\n| a.pdf | 12 |\n| b.pdf | 7 |\n\n",
    );
  });

  test("a cell over two columns needs HTML", async () => {
    const across = [85, 105, 125, 145].map((y) => rule(40, y, 240, y));
    const down = [rule(40, 85, 40, 145), rule(140, 105, 140, 145), rule(240, 85, 240, 145)];
    const { markdown } = await read(pageOf(texts, [...across, ...down]));
    expect(markdown).toContain('<tr><th colspan="2">Name Size</th></tr>\n<tr><td>a.pdf</td><td>12</td></tr>');
  });

  test("a drawing of many empty cells is no table, and its text stays", async () => {
    const across = Array.from({ length: 9 }, (_, at) => rule(40 + at * 20, 85 + at * 20, 240, 85 + at * 20));
    const down = Array.from({ length: 9 }, (_, at) => rule(40 + at * 25, 85, 40 + at * 25, 245));
    const labels = lines(50, 100, ["Nut", "Core"]).map((label, at) => ({
      ...label,
      x: 50 + at * 160,
      y: 100 + at * 60,
    }));
    const { texts } = await read(pageOf(labels, [...across, ...down]));
    expect(texts).toEqual(["paragraph: Nut", "paragraph: Core"]);
  });

  test("by lines between rows, also if little space is between columns", async () => {
    const narrow = cells.flatMap((row, y) =>
      row.map((text, x): PlacedText => ({ text, x: x === 0 ? 50 : 80 - text.length * 5, y: 100 + y * 20 })),
    );
    const across = [105, 125, 145, 165].map((y) => rule(40, y, 240, y));
    const last = [
      { text: "c.pdf", x: 50, y: 160 },
      { text: "123", x: 80, y: 160 },
    ];
    const close = narrow.map((one) => (one.x === 50 ? one : { ...one, x: one.x + 15 }));
    expect((await read(pageOf([...close, ...last], across))).markdown).toBe(
      "| Name | Size |\n| --- | --- |\n| a.pdf | 12 |\n| b.pdf | 7 |\n| c.pdf | 123 |\n\n",
    );
  });

  test("by lines around columns", async () => {
    const more = [...texts, { text: "c.pdf", x: 50, y: 160 }, { text: "9", x: 150, y: 160 }];
    const across = [85, 105, 170].map((y) => rule(40, y, 240, y));
    const down = [40, 140, 240].map((x) => rule(x, 85, x, 170));
    expect((await read(pageOf(more, [...across, ...down]))).markdown).toBe(
      "| Name | Size |\n| --- | --- |\n| a.pdf | 12 |\n| b.pdf | 7 |\n| c.pdf | 9 |\n\n",
    );
  });

  test("a text in the middle of a row is beside the lines of other cells", async () => {
    const row = (name: string, y: number): PlacedText[] => [
      { text: `${name} with a name`, x: 50, y },
      { text: "of two lines", x: 50, y: y + 12 },
      { text: "12.50", x: 250, y: y + 6 },
      { text: "A1", x: 350, y: y + 6 },
    ];
    const { markdown } = await read(pageOf([...row("Anna", 100), ...row("Bruno", 140), ...row("Clara", 180)]));
    expect(markdown).toContain("| Anna with a name of two lines | 12.50 | A1 |");
    expect(markdown).toContain("| Clara with a name of two lines | 12.50 | A1 |");
  });

  test("an underline is no rule, and lines of text beside each other are no table", async () => {
    const prose = lines(40, 100, [WORDS, WORDS]);
    expect((await read(pageOf(prose, [rule(40, 101, 280, 101), rule(40, 113, 280, 113)]))).texts).toEqual([
      `paragraph: ${WORDS} ${WORDS}`,
    ]);
  });
});

test.each([
  ["*a* _b_ snake_case", "\\*a\\* \\_b\\_ snake_case"],
  ["1. a", "1. a"],
  ["# a", "\\# a"],
  ["<b> a < b &amp; [a](b) [1]", "\\<b> a < b &amp;amp; \\[a](b) [1]"],
])("%s is escaped in Markdown", async (text, expected) => {
  const { markdown } = await read(pageOf([{ text, x: 40, y: 100 }]));
  expect(markdown.trim()).toBe(expected);
});

describe("pages with very much text", () => {
  const many = (count: number, at: (index: number) => Partial<PlacedText>) =>
    Array.from({ length: count }, (_, index) => ({ text: "ab", x: 0, y: 100, ...at(index) }));

  test("a line of 150,000 pieces is one paragraph", async () => {
    const { texts } = await read(pageOf(many(150_000, (index) => ({ x: 11 * index }))));
    expect(texts.map((text) => text.length)).toEqual(["paragraph: ".length + 150_000 * 3 - 1]);
  });

  test("50,000 lines with underlines and dots", async () => {
    const shapes = [...Array(9000).keys()].flatMap((at) => [
      rule(0, 5 * at + 101, 9, 5 * at + 101),
      { ...rule(-9, 5 * at + 96, -5, 5 * at + 100), isStroked: false },
    ]);
    const { texts } = await read(
      pageOf(
        many(50_000, (index) => ({ y: 100 + 5 * index, size: 4 })),
        shapes,
      ),
    );
    expect(texts.join("\n").match(/ab/g)).toHaveLength(50_000);
  });

  test("a grid of 6,000 lines over 2,000 words", async () => {
    const shapes = [...Array(3000).keys()].flatMap((at) => [
      rule(6 * at, 0, 6 * at, 18_000),
      rule(0, 6 * at, 18_000, 6 * at),
    ]);
    const texts = many(2000, (index) => ({ x: 60 * (index % 20), y: 12 * Math.floor(index / 20) + 8, size: 3 }));
    expect((await read(pageOf(texts, shapes))).markdown.match(/ab/g)).toHaveLength(2000);
  });
});

describe("footnotes", () => {
  const mark = (text: string, x: number, y: number): PlacedText => ({ text, x, y, size: 6 });
  const page = (number: number) =>
    pageOf(
      [
        ...lines(40, 300, [WORDS, WORDS, "the end of it"]),
        ...[mark("1", 105, 320), mark("2", 290, 308)],
        ...[mark("1", 40, 600), mark("2", 40, 612)],
        ...lines(45, 603, ["The first note is here.", "The second note is below."], { size: 8 }),
      ],
      [],
      number,
    );

  test("their marks lead to them, and labels differ between pages", async () => {
    const layout = new DocumentLayout();
    const writer = new MarkdownWriter(layout.hyphens);
    const texts: string[] = [];
    for await (const one of layout.read(each([page(1), page(2)]))) texts.push(writer.page(one));
    expect(texts[0]).toContain("the end of it[^1]\n\n[^1]: The first note is here.\n\n[^2]: The second note is below.");
    expect(texts[1]).toContain("the end of it[^2-1]\n\n[^2-1]: The first note is here.");
  });

  test("small text without a mark in the text is a paragraph", async () => {
    const { texts } = await read(
      pageOf([
        ...lines(40, 100, [WORDS, WORDS]),
        ...[mark("3", 290, 108), mark("1", 40, 600)],
        ...lines(45, 603, ["The first note is here."], { size: 8 }),
      ]),
    );
    expect(texts.at(-1)).toBe("paragraph: 1 The first note is here.");
  });
});

test("boxes around running text are no table", async () => {
  const page = pageOf(lines(40, 100, [WORDS, WORDS, WORDS, WORDS, WORDS, WORDS]), [
    ...[30, 132, 230, 300].map((x) => rule(x, 85, x, 165)),
    ...[85, 125, 165].map((y) => rule(30, y, 300, y)),
  ]);
  const wide = page.lines.map((line) => ({
    ...line,
    words: line.words.map((word) => ({
      ...word,
      corners: word.corners.map((place, at) => (at === 2 || at === 6 ? place + 3 : place)),
    })),
  }));
  expect((await read({ ...page, lines: wide })).texts.map((text) => text.split(":")[0])).toEqual(["paragraph"]);
  expect((await read(page)).texts.map((text) => text.split(":")[0])).toEqual(["table"]);
});
