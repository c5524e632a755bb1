import { describe, expect, test } from "vitest";
import { type Expression, expressions, Finder } from "../../../../src/document/redaction/expressions/expressions.ts";
import { PRESETS } from "../../../../src/document/redaction/expressions/presets.ts";

const found = (text: string, ...given: Expression[]) =>
  new Finder(given).find(text).map(({ start, end }) => text.slice(start, end));
const literal = (value: string) => ({ type: "literal", value }) as const;
const preset = (value: string) => ({ type: "preset", value }) as Expression;

describe("presets find what exists", () => {
  test.each<[name: string, ...texts: string[]]>([
    ["email", "john.doe+x@example.co.uk", "j\u00f6rg@m\u00fcller.de"],
    [
      "phone_number",
      "(212) 555-1234",
      "+49 (0)30 1234567",
      "+1-212-555-1234",
      "212.555.1234",
      "030/1234567",
      "555-1234",
      "+49 30 / 123 45 67",
      "00 49 30 1234567",
      "03 26 85 83 33",
    ],
    ["date", "2024-01-05", "31/12/2023", "January 5, 2024", "5. Januar 2024", "5 de enero de 2024", "12/31/99"],
    [
      "date",
      "1er janvier 2020",
      "5th of May 2021",
      "Sep 1, 11",
      "Sep 1 '11",
      "20 Apr 12",
      "01-Jul-25",
      "29 February 2024",
      "05.11.23",
      "March 2020",
    ],
    ["us_ssn", "123-45-6789", "123 45 6789", "123\u201345\u20136789", "123.45.6789"],
    ["url", "https://example.com/a(b)c?x=1", "www.foo.de", "example.com/path", "ftp://10.0.0.1/x"],
    [
      "credit_card",
      "4111 1111 1111 1111",
      "3782-822463-10005",
      "5500005555555559",
      "4111.1111.1111.1111",
      "4111  1111  1111  1111",
      "6011000990139424",
    ],
    ["bank_routing_number", "021000021", "026009593"],
    ["international_bank_account_number", "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"],
    ["swift_bic_number", "DEUTDEFF500", "COBADEFFXXX"],
    ["ipv4", "192.168.1.1", "10.0.0.0/8", "10.1.2.3", "8.8.8.8", "8.26.156.26", "41.75.12.9"],
    ["ipv6", "2001:db8::1", "fe80::1%eth0", "::1", "1:2:3:4:5:6:7:8", "::ffff:192.168.1.1"],
  ])("%s", (name, ...texts) => {
    for (const text of texts) expect(found(`see ${text}, or not`, preset(name))).toEqual([text]);
  });

  test("by the word before a number", () => {
    expect(found("PIN: 1234, pin code is 98765", preset("credit_debit_pin"))).toEqual(["1234", "98765"]);
    expect(found("SSN 123456789 and 987654321", preset("us_ssn"))).toEqual(["123456789"]);
    expect(found("Soc. Sec. No. 123456789", preset("us_ssn"))).toEqual(["123456789"]);
    expect(found("PIN (4 digits): 1234", preset("credit_debit_pin"))).toEqual(["1234"]);
    expect(found("Phone number: 4155552671", preset("phone_number"))).toEqual(["4155552671"]);
    expect(found(`IBAN${"DE89370400440532013000"}`, preset("international_bank_account_number"))).toHaveLength(1);
    expect(found("_a@b.com_", preset("email"))).toEqual(["_a@b.com"]);
    expect(found("BIC DEUTDEFF", preset("swift_bic_number"))).toEqual(["DEUTDEFF"]);
    expect(found("IP address: 2.3.59.1, DNS server is 4.4.4.4", preset("ipv4"))).toEqual(["2.3.59.1", "4.4.4.4"]);
    expect(found("Tel. 2125551234, no. 2125551235", preset("phone_number"))).toEqual(["2125551234"]);
  });
});

describe("presets find numbers beside other numbers", () => {
  const [card, local] = ["4111 1111 1111 1111", "415-555-2671"];
  test.each<[name: string, text: string, ...numbers: string[]]>([
    ["credit_card", `${card} 123`, card],
    ["credit_card", `${card} 12/25`, card],
    ["credit_card", `1 ${card} 5500 0000 0000 0004 7`, card, "5500 0000 0000 0004"],
    ["credit_card", "12 3782 822463 10005 2024", "3782 822463 10005"],
    ["phone_number", `${local} 415-555-2672`, local, "415-555-2672"],
    ["phone_number", `Tel/Fax ${local} 12 415-555-2672 1`, `${local} 12`, "415-555-2672"],
    ["phone_number", `CA 94103 ${local}`, local],
    ["phone_number", `2023-01-05 ${local} 2023-01-06`, local],
    ["phone_number", "94103 (415) 555-2671", "(415) 555-2671"],
    ["phone_number", "10115 +49 30 1234567", "+49 30 1234567"],
    ["phone_number", "0171 1234567 0172 7654321", "0171 1234567", "0172 7654321"],
    ["date", "12/31/2020-01/31/2021", "12/31/2020", "01/31/2021"],
  ])("%s in %s", (name, text, ...numbers) => {
    expect(found(text, preset(name))).toEqual(numbers);
  });

  test.each([
    ["credit_card", "4111 1111 11111111 1234 5"],
    ["credit_card", "2010 2011 2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022"],
    ["credit_card", "41.11 11.11 11.11 11.11"],
    ["phone_number", "01 02 03 04 05 06 07 08 09 10 11 12"],
    ["phone_number", "Tag 1 000 010 100 110 or 320 25 00 150 11 10 29"],
    ["phone_number", "1950 1960 1970 2000 2010 2020 555 101"],
    ["us_ssn", "1 123-45-67 8912"],
  ])("%s not in %s", (name, text) => {
    expect(found(text, preset(name))).toEqual([]);
  });
});

test.each<[name: string, ...texts: string[]]>([
  ["email", "a@b", "x@", "@handle", "price @ 3.50"],
  [
    "phone_number",
    "2024-01-05",
    "invoice 2024001234",
    "192.168.1.100",
    "1.234.567,89",
    "12345678901",
    "pages 3-14",
    "000 010 100",
    "001 6 06-15",
    "053 22 06-15",
    "04 7-10 05-10 7-10 15",
    "004 46 5 006",
  ],
  ["date", "2023-02-30", "30.2.2024", "99/99/2024", "may 12", "1-Dec. 31", "1.2.3", "section 5.1.24", "Sep 1 11"],
  ["us_ssn", "000-12-3456", "666-12-1234", "900-12-3456", "123-00-4567", "123-45-0000", "123456789"],
  ["url", "foo.py", "e.g. this", "john@example.com", "end.Next", "Node.js"],
  ["credit_card", "4111111111111112", "1234567890123452", "0000000000000000"],
  ["credit_debit_pin", "PINE 1234", "PIN 12", "1234", "pinned 4567"],
  ["bank_routing_number", "123456789", "021000022", "000000000"],
  ["international_bank_account_number", "DE89370400440532013001", "XX89370400440532013000", "GB82"],
  ["swift_bic_number", "CUSTOMER", "DOCUMENT", "ABCDZZ22"],
  ["ipv4", "999.1.1.1", "version 1.2.3.4", "1.2.3", "1.2.3.4.5", "2.3.59.1"],
  ["ipv6", "12:30:45", "std::vector", "a::b::1", "::"],
])("the preset %s finds nothing else", (name, ...texts) => {
  for (const text of texts) expect([text, found(`see ${text} or not`, preset(name))]).toEqual([text, []]);
});

test("spellings that look alike are equal", () => {
  expect(found("the o\ufb03ce", literal("office"))).toEqual(["o\ufb03ce"]);
  expect(found("Zoe\u0308 left", literal("Zo\u00eb"))).toEqual(["Zoe\u0308"]);
  expect(found("a \u00a0 b", literal("a b"))).toEqual(["a \u00a0 b"]);
  expect(found("con\u00adfi\u200bdential", literal("confidential"))).toEqual(["con\u00adfi\u200bdential"]);
  expect(found("Secret", literal("secret"))).toEqual([]);
  expect(found("aXbXc", literal("X"), { type: "regex", value: "X.X" })).toEqual(["XbX"]);
});

test.each([
  ["1990\u20131995", "1990\u20131995"],
  ["1990[\u2013\u2014]1995", "1990-1995"],
  ["1990[\u2010-\u2015]1995", "1990\u20131995"],
  ["1990\\x{2013}1995", "1990\u20131995"],
  ["a\u2026+b", "a\u2026...b"],
  ["o(\ufb03)ce", "o\ufb03ce"],
  ["\ufb01+n", "\ufb01\ufb01n"],
  ["(?i)ZOE\u0308", "zo\u00eb"],
  ["con\u00adcern", "con\u00adcern"],
  ["a\u00a0b", "a b"],
  ["a  b\\r?\\nc", "a  b\nc"],
  ["a\\s[\\n]?b", "a \n b"],
  ["\\Qa.b\\E\\.c", "a.b.c"],
  ["[^\u2013]+", "abc"],
  ["[[:alpha:]]\\pL\\p{Greek}[]\\]]", "ab\u03b1]"],
])("the regular expression %s finds %s", (value, text) => {
  expect(expressions.safeParse([{ type: "regex", value }]).success).toBe(true);
  expect(found(text, { type: "regex", value })).toEqual([text]);
});

test("an expression needs linear time", () => {
  const text = "a".repeat(50_000);
  for (const value of ["(a*)*b", "(a+)+$x", "(a|aa)+c", "(.*)*x{500}"]) {
    expect(found(text, { type: "regex", value })).toEqual([]);
  }
  const runs = ["a.", "1 ", ":a", "1", "1 2.3-", "(1)", "9", "-", "a-", "0:", "12/", "A1 "].map(
    (one) => `${one.repeat(9000)}x\n`,
  );
  for (const name of Object.keys(PRESETS)) expect(found(runs.join(""), preset(name)).length).toBeLessThan(5);
});

describe("too many steps", () => {
  const text = "a".repeat(20_000);

  test("an expression that reads the rest of the text for each match", () => {
    const value = "(?s)a.*b{900}|a";
    expect(found("a".repeat(100), { type: "regex", value })).toHaveLength(100);
    expect(() => found(text, { type: "regex", value })).toThrow("too-complex");
  });

  test("more matches than memory", () => {
    const all = Array.from({ length: 1000 }, (_, at) => literal("a".repeat(at + 1)));
    expect(() => found(text, ...all)).toThrow("too-complex");
    expect(new Finder(all).matches(text)).toBe(true);
  });
});

test("a text of any length is searched for a match", () => {
  const finder = new Finder([literal("HERON")]);
  for (const before of [0, 2 ** 20 - 2, 2 ** 21]) {
    expect(finder.matches(`${"x".repeat(before)}HERON${"x".repeat(2 ** 20)}`)).toBe(true);
    expect(finder.matchesLiteral(`${"x".repeat(before)}HERO N`)).toBe(false);
  }
});

test.each([
  ["an unknown type", [{ type: "word", value: "a" }]],
  ["no entry", []],
  ["an object", { type: "literal", value: "a" }],
  ["an empty literal", [{ type: "literal", value: "" }]],
  ["only white space", [{ type: "literal", value: " \u200b" }]],
  ["an invalid expression", [{ type: "regex", value: "(" }]],
  ["a backreference", [{ type: "regex", value: "(a)\\1" }]],
  ["too many entries", Array.from({ length: 1001 }, () => literal("a"))],
  ["a huge expression", [{ type: "regex", value: "((a{100}){100}){100}" }]],
  ["an unknown preset", [{ type: "preset", value: "name" }]],
])("%s is invalid", (_, given) => {
  expect(expressions.safeParse(given).success).toBe(false);
});
