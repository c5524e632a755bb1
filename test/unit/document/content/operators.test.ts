// Tests the categories of content operators, and their replacement by operators that paint nothing.
import { describe, expect, test } from "vitest";
import { readOperations } from "../../../../src/document/content/content.ts";
import {
  KEYWORDS,
  nonPaintingEquivalent,
  OPERATORS,
  PARAMETERS,
  PATH_PAINTING,
  TEXT_PLACING,
  TEXT_SHOWING,
} from "../../../../src/document/content/operators.ts";

/** ISO 32000-1, Annex A, without the parts of an inline image. */
const ANNEX_A =
  "b B b* B* BDC BI BMC BT BX c cm CS cs d d0 d1 Do DP EMC ET EX f F f* G g gs h i j J K k l m M MP n q Q re " +
  "RG rg ri " +
  "s S sc SC scn SCN sh T* Tc Td TD Tf Tj TJ TL Tm Tr Ts Tw Tz v w W W* y ' \"";

const sorted = (operators: Iterable<string>) => [...operators].sort();

describe("operators of content streams", () => {
  test("are those of Annex A", () => {
    expect(sorted(OPERATORS)).toEqual(sorted(ANNEX_A.split(" ")));
    expect(sorted(KEYWORDS)).toEqual(sorted([...OPERATORS, "true", "false", "null"]));
  });

  test("by category", () => {
    expect(sorted(TEXT_SHOWING)).toEqual(['"', "'", "TJ", "Tj"]);
    expect(sorted(PATH_PAINTING)).toEqual(sorted("S s f F f* B B* b b*".split(" ")));
    expect(sorted(TEXT_PLACING)).toEqual(sorted("BT ET Td TD Tm T* ' \"".split(" ")));
    const settings = "Tc Tw Tz TL Tf Tr Ts g rg k G RG K cs CS sc SC scn SCN gs w d J j M i ri";
    expect(sorted(PARAMETERS)).toEqual(sorted(settings.split(" ")));
  });

  test.each([
    ["0 0 9 9 re", undefined],
    ["f*", "n"],
    ["n", undefined],
    ["(a) Tj", ""],
    ["[(a)] TJ", ""],
    ["(a) '", "T*"],
    ['1 2 (a) "', "1 Tw 2 Tc T*"],
    ["/F Do", ""],
    ["/S sh", ""],
    ["BI /W 1/H 1/BPC 8/CS/G ID x EI", ""],
    ["/F 1 Tf", undefined],
  ])("%s without marks", (source, expected) => {
    const [operation] = readOperations(new Uint8Array(Buffer.from(source)));
    expect(nonPaintingEquivalent(operation!.operator, operation!.operands)).toBe(expected);
  });
});
