// Tests that drawing, merging, compressing and PDF/A agree on the visible layers of a document (ISO 32000-1, 8.11.4).
import { describe, expect, test } from "vitest";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { archived } from "../../../support/archival.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { merged } from "../../../support/pdf-json.ts";
import { uncompressed } from "../../../support/pdf-readers.ts";
import { isRedDrawn } from "../../../support/rendered.ts";

interface Case {
  readonly name: string;
  /** Entries of the only layer group. */
  readonly group?: string;
  /** Entries of the default configuration; `G` stands for the reference to the group. */
  readonly configuration?: string;
  readonly isShown: boolean;
}

const usage = (view: string, print = view) => `/Usage<</View<</ViewState/${view}>>/Print<</PrintState/${print}>>>>`;
const applied = (event: string, category = event) => `/AS[<</Event/${event}/Category[/${category}]/OCGs[G]>>]`;
const CASES: readonly Case[] = [
  { name: "nothing said", isShown: true },
  { name: "off", configuration: "/OFF[G]", isShown: false },
  { name: "a base state of OFF", configuration: "/BaseState/OFF", isShown: false },
  { name: "on over a base state of OFF", configuration: "/BaseState/OFF/ON[G]", isShown: true },
  { name: "a base state of Unchanged", configuration: "/BaseState/Unchanged", isShown: true },
  { name: "off over a base state of Unchanged", configuration: "/BaseState/Unchanged/OFF[G]", isShown: false },
  { name: "in both lists", configuration: "/ON[G]/OFF[G]", isShown: false },
  { name: "in both lists over a base state of OFF", configuration: "/BaseState/OFF/ON[G]/OFF[G]", isShown: false },
  { name: "another intent, off", group: "/Intent/Design", configuration: "/OFF[G]", isShown: true },
  { name: "another intent, on", group: "/Intent/Design", isShown: true },
  { name: "two intents, off", group: "/Intent[/Design/View]", configuration: "/OFF[G]", isShown: false },
  {
    name: "the intent asked for, off",
    group: "/Intent/Design",
    configuration: "/Intent/Design/OFF[G]",
    isShown: false,
  },
  { name: "another intent asked for, off", configuration: "/Intent/Design/OFF[G]", isShown: true },
  { name: "all intents asked for, off", group: "/Intent/Design", configuration: "/Intent/All/OFF[G]", isShown: false },
  { name: "not for viewing, applied", group: usage("OFF", "ON"), configuration: applied("View"), isShown: false },
  {
    name: "for viewing, applied over off",
    group: usage("ON"),
    configuration: `/OFF[G]${applied("View")}`,
    isShown: true,
  },
  { name: "not for viewing, not applied", group: usage("OFF"), isShown: true },
  { name: "for viewing, not applied over off", group: usage("ON"), configuration: "/OFF[G]", isShown: false },
  { name: "not for printing, applied", group: usage("ON", "OFF"), configuration: applied("Print"), isShown: true },
  {
    name: "for printing, applied over off",
    group: usage("OFF", "ON"),
    configuration: `/OFF[G]${applied("Print")}`,
    isShown: false,
  },
  { name: "usage of another category", group: usage("OFF"), configuration: applied("View", "Zoom"), isShown: true },
  {
    name: "another intent, not for viewing",
    group: `/Intent/Design${usage("OFF")}`,
    configuration: applied("View"),
    isShown: true,
  },
];

function layered({ group = "", configuration = "" }: Case): Uint8Array {
  const builder = new PdfBuilder();
  const layer = builder.add(`<</Type/OCG/Name(L)${group}>>`);
  const content = "0 1 0 rg 0 0 20 20 re f /OC /L BDC 1 0 0 rg 40 40 200 100 re f EMC";
  builder.page(`${content} (`, "", `/Properties<</L ${layer}>>`);
  builder.catalog = `/OCProperties<</OCGs[${layer}]/D<<${configuration.replaceAll("G]", `${layer}]`)}>>>>`;
  return builder.bytes();
}

const DISCARDING = {
  level: "custom",
  profile: {
    general: { "write-output-even-if-increase-in-size": true },
    userdata: { "discard-hidden-layer-content": true },
  },
} as const;

describe.each(CASES)("a layer with $name (shown: $isShown)", (layer) => {
  const pdf = layered(layer);

  test("is drawn so", async () => {
    expect(await isRedDrawn(pdf)).toBe(layer.isShown);
  });

  test("is merged so", async () => {
    expect(await isRedDrawn(await merged(pdf, plainPdf("a")))).toBe(layer.isShown);
  });

  test("is kept so where hidden content is discarded", async () => {
    const [made] = await outputsOf(compressPdf, [pdf], DISCARDING, CONTEXT);
    expect(await isRedDrawn(made!)).toBe(layer.isShown);
    expect(/1 0 0 rg 40 40 200 100 re f|40 40 200 100 re\s+f/.test(uncompressed(made!))).toBe(layer.isShown);
  });

  test.each(["1b", "2b"] as const)("is archived so as PDF/A-%s", async (level) => {
    const made = await archived(pdf, level);
    expect(await isRedDrawn(made)).toBe(layer.isShown);
    expect(uncompressed(made)).not.toContain("/AS");
  });
});

describe("several layers, one of them off", () => {
  /** @param order order of the groups in OCGs, because MuPDF sorts them by their numbers */
  function several(hidden: number, order: (groups: string[]) => string[]): Uint8Array {
    const builder = new PdfBuilder();
    const groups = Array.from({ length: 8 }, (_, index) => builder.add(`<</Type/OCG/Name(Layer ${index})>>`));
    const red = "/OC /L BDC 1 0 0 rg 40 40 200 100 re f EMC";
    builder.page(`0 1 0 rg 0 0 20 20 re f ${red} (`, "", `/Properties<</L ${groups[2]}>>`);
    builder.catalog = `/OCProperties<</OCGs[${order(groups).join(" ")}]/D<</OFF[${groups[hidden]}]>>>>`;
    return builder.bytes();
  }

  test.each([
    ["ascending", (groups: string[]) => groups],
    ["descending", (groups: string[]) => groups.toReversed()],
    ["mixed", (groups: string[]) => [...groups.slice(3), ...groups.slice(0, 3)]],
  ])("groups in %s order: only what that layer has is hidden", async (_, order) => {
    for (let hidden = 0; hidden < 8; hidden++) {
      expect(await isRedDrawn(several(hidden, order))).toBe(hidden !== 2);
    }
    expect(await isRedDrawn(await archived(several(5, order), "2b"))).toBe(true);
    expect(await isRedDrawn(await merged(several(5, order), plainPdf("a")))).toBe(true);
  });
});
