import { describe, expect, test } from "vitest";
import {
  checkElements,
  checkEntities,
  isSvg,
  missingNamespace,
  sizeOfSvg,
} from "../../../../../src/document/formats/svg/drawing.ts";

describe("recognition", () => {
  test.each([
    "<svg/>",
    "\ufeff <?xml version='1.0'?>\n<!-- a > b --><svg xmlns='http://www.w3.org/2000/svg'>",
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg>',
    '<!DOCTYPE svg [<!ENTITY ns "a>b">\n] ><s:svg xmlns:s="&ns;">',
  ])("of %s", (text) => expect(isSvg(text)).toBe(true));

  test.each(["<svgs/>", "<html><svg/>", "<!-- <svg/> -->", "<?xml version='1.0'?><a/>", "svg", ""])(
    "not of %s",
    (text) => expect(isSvg(text)).toBe(false),
  );
});

test.each([
  ['width="10" height="20"', 10, 20],
  ["width='1in' height='25.4mm'", 96, 96],
  ['width="72pt" height="6pc"', 96, 96],
  ['width="2em" height="+1e1"', 32, 10],
  ['viewBox="0 0 30 40"', 30, 40],
  ['viewBox="-5,-5,30,40" width="60"', 60, 80],
  ['viewBox="0 0 30 40" height="20"', 15, 20],
  ['viewBox="0 0 0 40" width="50%"', 300, 150],
  ['data-width="7" height="9"', 300, 9],
])("the size of a drawing with %s", (attributes, width, height) => {
  const size = sizeOfSvg(`<svg ${attributes}>`);
  expect([size.width, size.height].map((side) => Number(side.toFixed(6)))).toEqual([width, height]);
});

describe("elements", () => {
  test.each([
    "<svg><g/><a b='>'>x</a></svg>",
    "<svg><![CDATA[<a>]]><!-- <b> --><?c <d> ?></svg>",
    '<svg a="\n"><style>a > b { c: "d" }</style></svg>\n<!-- end -->',
  ])("%s end", (text) => expect(() => checkElements(text)).not.toThrow());

  test.each(["<svg>", "<svg><g></svg>", "<svg/></g>", "<svg><a", '<svg a="', "<svg><!-- ", "<svg>a < b</svg>"])(
    "%s do not end",
    (text) => expect(() => checkElements(text)).toThrow("damaged"),
  );
});

test("entities of real programs are accepted, and hostile ones are not", () => {
  const drawing = (declared: string, used: string) => `<!DOCTYPE svg [${declared}]><svg a="${used}"/>`;
  checkEntities(drawing('<!ENTITY ns_svg "http://www.w3.org/2000/svg"><!ENTITY x SYSTEM "file:///a">', "&ns_svg;&x;"));
  const long = "x".repeat(2 ** 20);
  expect(() => checkEntities(drawing(`<!ENTITY a "${long}">`, "&a;".repeat(9)))).toThrow("excessive length");
  expect(() => checkEntities(drawing('<!ENTITY a "&b;"><!ENTITY b "&a;">', "&a;"))).toThrow("itself");
});

test("only an unprefixed root without a namespace lacks it", () => {
  expect(missingNamespace("<!-- --><svg width='1'>")).toBe(12);
  expect(missingNamespace('<svg width="1"\nxmlns = "http://www.w3.org/2000/svg">')).toBeUndefined();
  expect(missingNamespace('<s:svg xmlns:s="http://www.w3.org/2000/svg">')).toBeUndefined();
});
