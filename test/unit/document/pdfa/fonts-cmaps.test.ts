// Tests CMaps: the codes of a string, their CIDs and their Unicode values.
import { describe, expect, test } from "vitest";
import { CMap, parseCMap } from "../../../../src/document/text/cmap.ts";

const parsed = (text: string) => parseCMap(Buffer.from(text, "latin1"));
const codes = (map: CMap, text: string) => map.split(text).map(({ code, bytes }) => `${bytes}:${code.toString(16)}`);

const MIXED = `2 begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange
3 begincidrange <20> <7e> 1 <8140> <817e> 633 <30> <39> 500 endcidrange 1 begincidchar <41> 900 endcidchar`;

describe("codes", () => {
  test("of one and of two bytes", () => {
    const map = parsed(MIXED);
    expect(codes(map, "A\x81\x40B")).toEqual(["1:41", "2:8140", "1:42"]);
    expect(map.cidOf(0x42, 1)).toBe(35);
    expect(map.cidOf(0x8141, 2)).toBe(634);
    expect(map.cidOf(0x41, 2)).toBeUndefined();
  });

  test("what fits nowhere is passed over", () => {
    expect(codes(parsed(MIXED), "\xffA\x81\x01B")).toEqual(["1:41", "1:1", "1:42"]);
    expect(codes(CMap.identity(false), "\x00A\x00")).toEqual(["2:41"]);
  });

  test("a code that comes again, and a range within another", () => {
    const map = parsed(MIXED);
    expect(map.cidOf(0x41, 1)).toBe(900);
    expect(map.cidOf(0x35, 1)).toBe(505);
    expect(map.cidOf(0x40, 1)).toBe(33);
  });

  test("on the base of another", () => {
    const map = parsed(`/Other usecmap 1 begincidchar <42> 7 endcidchar`);
    expect(map.baseName).toBe("Other");
    map.base = parsed(MIXED);
    expect([map.cidOf(0x42, 1), map.cidOf(0x43, 1)]).toEqual([7, 36]);
    expect(codes(map, "\x81\x40")).toEqual(["2:8140"]);
    // A map that is based on itself must not cause an endless loop.
    map.base.base = map;
    expect(map.cidOf(0x99, 1)).toBeUndefined();
  });

  test("what it says of itself, in either way of writing", () => {
    const map =
      parsed(`/CIDSystemInfo 3 dict dup begin /Registry (Adobe) def /Ordering (Japan1) def /Supplement 6 def end def
/CMapName /X-V def /WMode 1 def`);
    expect([map.registry, map.ordering, map.supplement, map.name, map.isVertical]).toEqual([
      "Adobe",
      "Japan1",
      6,
      "X-V",
      true,
    ]);
    expect(parsed("/CIDSystemInfo << /Registry (A) /Ordering (B) /Supplement 0 >> def").ordering).toBe("B");
  });
});

describe("Unicode values", () => {
  test("of single codes, ranges and lists", () => {
    const { unicode } = parsed(`3 beginbfchar <01> <0041> <02> <00660069> <03> <d83dde00> endbfchar
3 beginbfrange <10> <12> <0061> <20> <21> [<0078> <0079007a>] <30> <31> <d83dde00> endbfrange`);
    expect(Object.fromEntries(unicode)).toEqual({
      1: "A",
      2: "fi",
      3: "😀",
      16: "a",
      17: "b",
      18: "c",
      32: "x",
      33: "yz",
      48: "😀",
      49: "😁",
    });
  });

  test("ranges without end, texts of any length and nonsense are bounded", () => {
    expect(parsed("1 beginbfrange <00000000> <ffffffff> <0041> endbfrange").unicode.size).toBeLessThanOrEqual(400_000);
    expect(parsed(`1 beginbfchar <01> <${"0041".repeat(10_000)}> endbfchar`).unicode.size).toBe(0);
    expect(parsed("endbfchar endcidrange <01> endbfchar [ << ( endbfrange").unicode.size).toBe(0);
    expect(parsed("<".repeat(100_000)).unicode.size).toBe(0);
  });
});
