// Tests the outlines of merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder, plainPdf } from "../../../../fixtures/pdf-builder.ts";
import { CONTEXT } from "../../../../support/operations.ts";
import { merged, mergedIn, type OutlineItem, PdfJson } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

/** Returns outline items as text: title, page, and for items with children `+` (open) or `-` (closed). */
const drawn = (items: readonly OutlineItem[]): unknown[] =>
  items.map(({ title, destpageposfrom1, kids, open }) =>
    kids.length === 0
      ? `${title} ${destpageposfrom1}`
      : [`${title} ${destpageposfrom1} ${open ? "+" : "-"}`, ...drawn(kids)],
  );

/**
 * Returns a document with an outline: an open chapter with two sections on pages 1 and 2, a closed chapter with
 * sections on pages 2 and 3, and a URL.
 */
function outlined(prefix: string): Uint8Array {
  const builder = new PdfBuilder();
  const pages = [1, 2, 3].map((number) => builder.page(`${prefix}${number}`));
  const root = builder.reserve();
  const [one, oneA, oneB, two, twoA, twoB, link] = Array.from({ length: 7 }, () => builder.reserve()) as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const item = (title: string, entries: string) => `<</Title(${prefix} ${title})${entries}>>`;
  builder.set(root, `<</Type/Outlines/First ${one}/Last ${link}/Count 5>>`);
  builder.set(
    one,
    item("one", `/Parent ${root}/Next ${two}/First ${oneA}/Last ${oneB}/Count 2/Dest[${pages[0]}/Fit]/C[1 0 0]/F 2`),
  );
  builder.set(oneA, item("1a", `/Parent ${one}/Next ${oneB}/A<</S/GoTo/D[${pages[0]}/XYZ 0 100 0]>>`));
  builder.set(oneB, item("1b", `/Parent ${one}/Prev ${oneA}/Dest(${prefix}-second)`));
  builder.set(
    two,
    item("two", `/Parent ${root}/Prev ${one}/Next ${link}/First ${twoA}/Last ${twoB}/Count -2/Dest[${pages[1]}/Fit]`),
  );
  builder.set(twoA, item("2a", `/Parent ${two}/Next ${twoB}/Dest[${pages[1]}/Fit]`));
  builder.set(twoB, item("2b", `/Parent ${two}/Prev ${twoA}/Dest/third`));
  builder.set(link, item("link", `/Parent ${root}/Prev ${two}/A<</S/URI/URI(http://example.org/)>>`));
  builder.catalog =
    `/Outlines ${root}/Names<</Dests<</Names[(${prefix}-second)[${pages[1]}/Fit]]>>>>` +
    `/Dests<</third<</D[${pages[2]}/Fit]>>>>`;
  return builder.bytes();
}

describe("outlines", () => {
  test("of all inputs, in their order, nested, at the right pages", async () => {
    const pdf = await merged(outlined("a"), plainPdf("between"), outlined("b"));
    const document = new PdfJson(pdf);
    expect(drawn(document.outlines)).toEqual([
      ["a one 1 +", "a 1a 1", "a 1b 2"],
      ["a two 2 -", "a 2a 2", "a 2b 3"],
      "a link null",
      ["b one 5 +", "b 1a 5", "b 1b 6"],
      ["b two 6 -", "b 2a 6", "b 2b 7"],
      "b link null",
    ]);
    expect(qpdfComplaints(pdf)).toBe("");
    expect(document.at(document.catalog, "Outlines", "Count")).toBe(10);
    expect(document.at(document.catalog, "Outlines", "First")).toMatchObject({ "/C": [1, 0, 0], "/F": 2, "/Count": 2 });
  });

  test("without items whose pages were left out, unless their kids stay", async () => {
    const pdf = await merged([outlined("a"), "3"], [outlined("b"), "2,1"]);
    expect(drawn(new PdfJson(pdf).outlines)).toEqual([
      ["a two null -", "a 2b 1"],
      "a link null",
      ["b one 3 +", "b 1a 3", "b 1b 2"],
      ["b two 2 -", "b 2a 2"],
      "b link null",
    ]);
    const text = uncompressed(pdf);
    for (const gone of ["a one", "a 1a", "a 1b", "a 2a", "a-second", "b 2b"]) expect(text).not.toContain(gone);
  });

  test("without an entry where nothing stays", async () => {
    const builder = new PdfBuilder();
    const [page] = [builder.page("1"), builder.page("2")];
    const item = builder.reserve();
    const root = builder.add(`<</First ${item}/Last ${item}/Count 1>>`);
    builder.set(item, `<</Title(gone)/Parent ${root}/Dest[${page}/Fit]>>`);
    builder.catalog = `/Outlines ${root}`;
    const document = new PdfJson(await merged([builder.bytes(), "2"]));
    expect(document.catalog).not.toHaveProperty("/Outlines");
  });

  test.each(["siblings", "levels"])(
    "50,000 %s",
    async (kind) => {
      const count = 50_000;
      const builder = new PdfBuilder();
      const page = builder.page("1");
      const root = builder.reserve();
      const first = Number.parseInt(root, 10) + 1;
      const reference = (index: number) => `${first + index} 0 R`;
      for (let index = 0; index < count; index++) {
        const next = index + 1 < count ? reference(index + 1) : "null";
        const links =
          kind === "siblings"
            ? `/Parent ${root}/Next ${next}${index > 0 ? `/Prev ${reference(index - 1)}` : ""}`
            : `/Parent ${index > 0 ? reference(index - 1) : root}${index + 1 < count ? `/First ${next}/Last ${next}/Count 1` : ""}`;
        builder.add(`<</Title(${index})/Dest[${page}/Fit]${links}>>`);
      }
      builder.set(root, `<</First ${reference(0)}/Last ${kind === "siblings" ? reference(count - 1) : reference(0)}>>`);
      builder.catalog = `/Outlines ${root}`;
      // Needs more memory than an isolate has.
      const pdf = await mergedIn({ ...CONTEXT, heapLimitBytes: 2 ** 30 }, [builder.bytes()]);
      expect(uncompressed(pdf).match(/\/Title/g)).toHaveLength(count);
    },
    300_000,
  );

  test("that lead into themselves end", async () => {
    const builder = new PdfBuilder();
    const page = builder.page("1");
    const root = builder.reserve();
    const item = builder.reserve();
    builder.set(item, `<</Title(x)/Parent ${root}/Dest[${page}/Fit]/Next ${item}/First ${item}>>`);
    builder.set(root, `<</First ${item}/Last ${item}>>`);
    builder.catalog = `/Outlines ${root}`;
    expect(drawn(new PdfJson(await merged(builder.bytes())).outlines)).toEqual(["x 1"]);
  });
});
