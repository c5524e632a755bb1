// Tests the form fields that are derived from an operation's parameters, and their error sentences.
// Contract: docs/api.md#requests, #errors
import { expect, test } from "vitest";
import * as z from "zod";
import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import { onlyWith, optional, type Parameters, parameter } from "../../../../src/document/contract/parameter.ts";
import { choice } from "../../../../src/document/contract/parameters/choice.ts";
import { rgb } from "../../../../src/document/contract/parameters/color.ts";
import { json } from "../../../../src/document/contract/parameters/json.ts";
import { integer } from "../../../../src/document/contract/parameters/number.ts";
import { list, password, text } from "../../../../src/document/contract/parameters/text.ts";
import { setBookmarks } from "../../../../src/operations/set-bookmarks.ts";
import { setMetadata } from "../../../../src/operations/set-metadata.ts";
import { exposed, inWordsOfApi } from "../../../../src/service/http/contract/declaration/exposure.ts";
import { describeParameter } from "../../../../src/service/http/contract/described.ts";
import { readFields } from "../../../../src/service/http/contract/fields.ts";
import { schemaOf } from "../../../../src/service/http/openapi/schemas.ts";

const boxes = z.array(z.object({ box: z.enum(["media", "trim"]), left: z.number() }));
const parameters = {
  format: parameter("The format.", choice(["png", "jpg"])),
  dpi: parameter("Dots per inch.", integer({ min: 12, max: 2400 }), "300"),
  jpegQuality: onlyWith("format", "jpg", parameter("Higher is better.", integer({ min: 1, max: 100 }), "75")),
  textColor: optional("The color.", rgb),
  openPassword: optional("The password.", password({ min: 6, max: 9 })),
  boxes: optional("The boxes.", json(boxes)),
  marks: optional("Marks.", list(text({ max: 3 }))),
};
const { fields, paramsOf, fieldOf } = exposed(parameters, { names: { dpi: "resolution" } });

const read = (sent: Readonly<Record<string, readonly string[]>>, of: Parameters = fields) =>
  readFields(of, { fields: new Map(Object.entries(sent)) }, {}) as Record<string, unknown>;

test("fields have the names of the API, and give the operation its own", () => {
  expect(Object.keys(fields)).toEqual([
    ...["format", "resolution", "jpeg_quality", "text_color", "open_password", "boxes", "marks"],
  ]);
  expect(paramsOf(read({ format: ["png"], jpeg_quality: ["9"], resolution: ["72"] }))).toEqual({
    format: "png",
    dpi: 72,
  });
  expect(paramsOf(read({ format: ["jpg"], text_color: ["1", "2", "3"], marks: ["a", "b"] }))).toEqual({
    ...{ format: "jpg", dpi: 300, jpegQuality: 75, textColor: [1, 2, 3], marks: ["a", "b"] },
  });
});

test("a password can consist of spaces, which are no value of other fields", () => {
  const sent = { format: ["png"], open_password: ["      "], resolution: ["  "] };
  expect(paramsOf(read(sent))).toMatchObject({ openPassword: "      ", dpi: 300 });
  expect(paramsOf(read({ format: ["png"], open_password: [""] })).openPassword).toBeUndefined();
});

test("a fixed value is no field, and neither is what counts with another value alone", () => {
  const png = exposed(parameters, { fixed: { format: "png" } });
  expect(Object.keys(png.fields).slice(0, 2)).toEqual(["dpi", "text_color"]);
  const jpg = exposed(parameters, { fixed: { format: "jpg" }, narrowed: { dpi: integer({ min: 72, max: 72 }) } });
  expect(jpg.paramsOf(read({ dpi: ["72"] }, jpg.fields))).toEqual({ format: "jpg", dpi: 72, jpegQuality: 75 });
  expect(() => read({ dpi: ["73"] }, jpg.fields)).toThrow("73 is not within the acceptable range for dpi.");
});

test.each([
  [{}, "The 'format' field is required."],
  [{ format: ["png"], resolution: ["9"] }, "9 is not within the acceptable range for resolution."],
  [{ format: ["png"], resolution: ["72", "73"] }, "Found more than one resolution key, only one is allowed."],
  [{ format: ["png"], jpeg_quality: ["0"] }, undefined],
  [{ format: ["jpg"], jpeg_quality: ["0"] }, "0 is not within the acceptable range for jpeg_quality."],
  [{ format: ["png"], text_color: ["300,0,0"] }, "300,0,0 is not within the acceptable range for text_color."],
  [{ format: ["png"], boxes: ["[}"] }, "[} is not within the acceptable range for boxes. It is not JSON."],
  [{ format: ["png"], boxes: ["{}"] }, "{} is not within the acceptable range for boxes."],
  [{ format: ["png"], boxes: ['[{"box":"crop"}]'] }, "crop is not within the acceptable range for boxes.0.box."],
  [{ format: ["png"], boxes: ['[{"box":"trim"}]'] }, "The 'boxes.0.left' field is required."],
  [{ format: ["png"], marks: ["a", "long"] }, "long is not within the acceptable range for marks[]."],
  [{ format: ["png"], marks: [] }, " is not within the acceptable range for marks[]."],
  [{ format: ["png"], open_password: ["abc"] }, "The value is not within the acceptable range for open_password."],
])("%o: %s", (sent, sentence) => {
  if (sentence === undefined) expect(() => read(sent)).not.toThrow();
  else expect(() => read(sent)).toThrow(expect.objectContaining({ message: sentence }));
});

test("an operation names its own parameters, and the client reads the names of the API, never a secret", () => {
  const told = (parameter: string, value: string) => {
    const {
      parameter: name,
      value: shown,
      why,
    } = inWordsOfApi(new OutOfRange(parameter, value, "Why."), {
      fields,
      fieldOf,
    });
    return [name, shown, why];
  };
  expect(told("dpi", "2400")).toEqual(["resolution", "2400", "Why."]);
  expect(told("marks", "a")).toEqual(["marks[]", "a", "Why."]);
  expect(told("openPassword", "swordfish")).toEqual(["open_password", "The value", "Why."]);
  expect(told("url", "http://a")).toEqual(["url", "http://a", "Why."]);
});

test.each([
  ["metadata", '{"foo":"x"}', "x is not within the acceptable range for metadata.foo."],
  ["metadata", '{"__proto__":"x"}', "__proto__ is not within the acceptable range for metadata.__proto__."],
  [
    "metadata",
    '{"custom":{"__proto__":"x"}}',
    "__proto__ is not within the acceptable range for metadata.custom.__proto__.",
  ],
  ["metadata", '{"custom":{"":"x"}}', 'x is not within the acceptable range for metadata.custom."".'],
  ["bookmarks", '[{"title":"a","page":1,"foo":2}]', "2 is not within the acceptable range for bookmarks.0.foo."],
  ["bookmarks", '[{"title":"\\u0001 ","page":1}]', "\u0001  is not within the acceptable range for bookmarks.0.title."],
])("a wrong member is named: %s %s", (name, text, message) => {
  const json = { ...setMetadata.parameters, bookmarks: setBookmarks.parameters.bookmarks };
  expect(() => read({ [name]: [text] }, { [name]: json[name as keyof typeof json] })).toThrow(message);
});

test("titles of bookmarks lose control characters", () => {
  const { bookmarks } = setBookmarks.parameters;
  expect(read({ bookmarks: ['[{"title":" a\\n\\u0001b","page":1}]'] }, { bookmarks })).toEqual({
    bookmarks: [{ title: "a b", page: 1 }],
  });
});

test("JSON is a list or an object in a JSON body, and a text in a form; a password is a text that says so", () => {
  const schemaIn = (name: string, encoding: "json" | "multipart") =>
    schemaOf(describeParameter(name, fields[name]!), encoding);
  expect(schemaIn("boxes", "json")).toMatchObject({ anyOf: [{ type: "array" }, { type: "string" }] });
  expect(schemaIn("boxes", "multipart")).toMatchObject({ type: "string", contentSchema: { type: "array" } });
  expect(schemaIn("text_color", "json")).toMatchObject({ anyOf: [{ type: "string" }, { type: "array" }] });
  const { control, secret, schema } = describeParameter("open_password", fields.open_password!);
  expect([control, secret]).toEqual(["password", true]);
  expect(schema).toEqual({ type: "string", format: "password", writeOnly: true, minLength: 6, maxLength: 9 });
});
