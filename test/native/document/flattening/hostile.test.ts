// Tests documents that require too much work: each job ends, in bounded memory, and no output has transparency.
import { describe, expect, test } from "vitest";
import { flattenTransparency } from "../../../../src/operations/container-only/flatten-transparency.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { flattened } from "../../../support/flattened.ts";
import { HOSTILE_PDFS, onePage, stream } from "../../../support/hostile-pdfs.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { pageTexts } from "../../../support/pdf-readers.ts";
import { transparencyIn } from "../../../support/transparency-scan.ts";

const STATES = "/ExtGState<</H<</ca .5>>/M<</BM/Multiply>>/N<</ca 1>>>>";
const FONT = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 612 792]";
const repeated = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join(" ");
const nested = (levels: number, content: string) =>
  Array.from({ length: levels }, (_, level) =>
    stream(level + 1 < levels ? "/F Do" : content, `${FORM}/Resources<<${STATES}/XObject<</F ${level + 6} 0 R>>>>`),
  );
const inForm = "/XObject<</F 5 0 R>>";

const ENDING: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [
  {
    name: "100,000 transparent operations",
    bytes: onePage(
      `/H gs BT /F 9 Tf 9 9 Td (STILL THERE) Tj ET ${repeated(100_000, (index) => `${index % 600} ${(index * 7) % 790} 3 3 re f`)}`,
      `${STATES}${FONT}`,
    ),
  },
  {
    name: "250,000 transparent operations, which become one picture",
    bytes: onePage(
      `BT /F 9 Tf 9 9 Td (STILL THERE) Tj ET /H gs ${repeated(250_000, (index) => `${index % 600} ${(index * 7) % 790} 1 1 re f`)}`,
      `${STATES}${FONT}`,
    ),
  },
  {
    name: "a page of 14,400 points in units of 1,000",
    bytes: onePage(
      "/M gs 0 1 .5 rg 0 0 14000 14000 re f 1 0 0 rg 99 99 9000 9000 re f BT /F 999 Tf 999 999 Td (STILL THERE) Tj ET",
      `${STATES}${FONT}`,
      [],
      "/UserUnit 1000",
      "0 0 14400 14400",
    ),
  },
  {
    name: "a form that shows itself",
    bytes: onePage("/F Do BT /F 9 Tf 9 9 Td (STILL THERE) Tj ET", `${STATES}${FONT}${inForm}`, [
      stream("/H gs 0 0 99 99 re f /F Do", `${FORM}/Resources<<${STATES}${inForm}>>`),
    ]),
  },
  {
    name: "a soft mask that is made with itself",
    bytes: onePage(
      "/S gs 0 0 99 99 re f /N gs BT /F 9 Tf 9 9 Td (STILL THERE) Tj ET",
      `/ExtGState<</S 6 0 R/N<</SMask/None>>>>${FONT}`,
      [
        stream(
          "/S gs 0 0 50 50 re f",
          `${FORM}/Group<</S/Transparency/CS/DeviceGray>>/Resources<</ExtGState<</S 6 0 R>>>>`,
        ),
        "<</SMask<</S/Luminosity/G 5 0 R>>>>",
      ],
    ),
  },
  {
    name: "forms 20,000 deep",
    bytes: onePage(
      "/F Do BT /F 9 Tf 9 9 Td (STILL THERE) Tj ET",
      `${FONT}${inForm}`,
      nested(20_000, "/H gs 0 0 99 99 re f"),
    ),
  },
  {
    name: "a thousand clips in each other",
    bytes: onePage(
      `${repeated(1000, (index) => `q ${index % 50} 0 500 792 re W n /H gs 0 ${index % 700} 600 9 re f`)} BT /F 9 Tf 99 99 Td (STILL THERE) Tj ET`,
      `${STATES}${FONT}`,
    ),
  },
];

describe("transparency without measure", () => {
  test.each(ENDING)("$name", { timeout: 240_000 }, async ({ bytes }) => {
    const made = await flattened(bytes);
    expect(transparencyIn(made.bytes)).toEqual([]);
    expect(pageTexts(made.bytes).join()).toContain("STILL THERE");
  });
});

describe("documents that would take longer than they may", () => {
  const PAGES = 8;
  const SEEN = "BT /F 9 Tf (SEEN) Tj ET";
  const IMAGE = "/Type/XObject/Subtype/Image/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray";
  const TRANSPARENT: Readonly<Record<string, (builder: PdfBuilder) => string>> = {
    "half transparent fills": (builder) =>
      builder.page(`/H gs 0 .5 0 rg 50 50 200 100 re f ${SEEN}`, "", "/ExtGState<</H<</ca .5>>>>"),
    "blended fills": (builder) =>
      builder.page(`/H gs 0 0 1 rg 9 9 99 99 re f ${SEEN}`, "", "/ExtGState<</H<</BM/Multiply>>>>"),
    "images with soft masks": (builder) => {
      const image = builder.stream("ab", `${IMAGE}/SMask ${builder.stream("\x10\xa0", IMAGE)}`);
      return builder.page(`q 99 0 0 99 9 9 cm /X Do Q ${SEEN}`, "", `/XObject<</X ${image}>>`);
    },
  };
  /** Returns a clock that advances by so many milliseconds with each reading. */
  const clock = (stepMs: number) => {
    let usedMs = 0;
    return () => (usedMs += stepMs);
  };
  const flattenedBy = (bytes: Uint8Array, usedMs: () => number) =>
    outputsOf(flattenTransparency, [bytes], { quality: "low" }, { ...CONTEXT, heapLimitBytes: 2 ** 30, usedMs });

  test.each(Object.entries(TRANSPARENT))("%s", async (_, addPage) => {
    const builder = new PdfBuilder();
    for (let page = 0; page < PAGES; page++) addPage(builder);
    const bytes = builder.bytes();
    const why = `The document has ${PAGES} pages with transparency; about 6 such pages can be flattened.`;
    await expect(flattenedBy(bytes, clock(30_000))).rejects.toMatchObject({ reason: "too-complex", why });
    const [made] = await flattenedBy(bytes, clock(10_000));
    expect(transparencyIn(made!)).toEqual([]);
  });

  test("pages without transparency do not count", async () => {
    const builder = new PdfBuilder();
    for (let page = 0; page < PAGES; page++) builder.page(`PAGE ${page}`);
    TRANSPARENT["blended fills"]!(builder);
    const [made] = await flattenedBy(builder.bytes(), clock(30_000));
    expect(transparencyIn(made!)).toEqual([]);
  });
});

describe("other documents that ask for too much", () => {
  test.each(HOSTILE_PDFS.map(({ name, bytes }) => ({ name, bytes })))(
    "$name",
    { timeout: 240_000 },
    async ({ bytes }) => {
      const ended = await flattened(bytes()).then(
        ({ bytes: made }) => (made.length > 0 ? "made" : "empty"),
        (error) => error.reason,
      );
      expect(["made", "damaged", "too-complex", "too-large"]).toContain(ended);
    },
  );
});
