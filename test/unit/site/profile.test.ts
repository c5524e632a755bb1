// Compares the messages of the editor for compression profiles with those of the service, and its settings with those
// of the service.
// Contract: docs/api.md#compressed-pdf
import { describe, expect, test } from "vitest";
import {
  faultsOfJson,
  groupsOf,
  parsed,
  unknownKeys,
  valueAt,
  withValue,
} from "../../../site/workbench/model/profile.ts";
import { PROFILE_EXAMPLES } from "../../../site/workbench/model/profile-examples.ts";
import { compressionProfile } from "../../../src/document/compression/profile.ts";
import { settingsOfProfile } from "../../../src/document/compression/profile-settings.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { readFields } from "../../../src/service/http/contract/fields.ts";
import { operationOf } from "./described-operations.ts";

const content = operationOf("/compressed-pdf").fields.find(({ name }) => name === "profile")!.content!;
const { schema } = content;
const sentences = (text: string) => faultsOfJson("profile", text, content).map(({ sentence }) => sentence);

/** Returns the error sentence with which the service rejects a profile. */
function answered(text: string): string | undefined {
  try {
    const sent = new Map([
      ["level", ["custom"]],
      ["profile", [text]],
    ]);
    readFields(compressPdf.parameters, { fields: sent }, {});
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe("the sentence is the one of the service", () => {
  test.each([
    "{}",
    '{"images": {}, "unknown": 1}',
    '{"fonts": {"subset-embedded-fonts": "on"}, "images": {"monochrome": {"recompress": {"type": "jbig2"}}}}',
    "{",
    "",
    "[]",
    "null",
    '"text"',
    "7",
    '{"images": 1}',
    '{"images": {"color": {"downsample": {"trigger-dpi": 0, "target-dpi": 150}}}}',
    '{"images": {"color": {"downsample": {"trigger-dpi": 225, "target-dpi": 9601}}}}',
    '{"images": {"color": {"downsample": {"trigger-dpi": "225", "target-dpi": 150}}}}',
    '{"images": {"color": {"downsample": {"target-dpi": 150}}}}',
    '{"images": {"grayscale": {"downsample": {"trigger-dpi": 225}}}}',
    '{"images": {"color": {"recompress": {"quality": "low"}}}}',
    '{"images": {"monochrome": {"recompress": {"type": "jpeg"}}}}',
    '{"fonts": {"subset-embedded-fonts": "yes"}}',
    '{"fonts": {"subset-embedded-fonts": null}}',
    '{"transparency": {"quality": "best"}}',
    '{"pdfa-conversion": {"type": "4"}}',
  ])("for %s", (text) => {
    expect(sentences(text)[0]).toBe(answered(text));
  });

  test("and all faults are told at once, each with its key", () => {
    const text = '{"images": {"color": {"downsample": {"trigger-dpi": 0}}}, "fonts": {"remove-unused-fonts": 1}}';
    expect(faultsOfJson("profile", text, content)).toEqual([
      {
        key: "images.color.downsample.trigger-dpi",
        sentence: "0 is not within the acceptable range for images.color.downsample.trigger-dpi.",
      },
      {
        key: "images.color.downsample.target-dpi",
        sentence: "The 'images.color.downsample.target-dpi' field is required.",
      },
      {
        key: "fonts.remove-unused-fonts",
        sentence: "1 is not within the acceptable range for fonts.remove-unused-fonts.",
      },
    ]);
  });
});

describe("settings", () => {
  const settings = groupsOf(schema).flatMap(({ settings }) => settings);
  const kindOf = (key: string) => settings.find(({ path }) => path.join(".") === key);

  test("each has a control of its kind, unless it has no effect", () => {
    expect(kindOf("images.color.downsample.target-dpi")).toMatchObject({ kind: "number" });
    expect(kindOf("images.monochrome.recompress.quality")).toMatchObject({
      ...{ kind: "choice", values: ["lossy", "lossless"] },
    });
    expect(kindOf("userdata.discard-hidden-layer-content")).toMatchObject({ kind: "switch" });
    expect(kindOf("fonts.unembed-standard-14-fonts")).toBeUndefined();
    expect(groupsOf(schema).map(({ name }) => name)).toEqual([
      ...["images", "fonts", "transparency", "objects", "userdata", "cleanup", "general"],
    ]);
  });

  test("whatever a control can set, the service takes", () => {
    const first = { switch: true, number: 150 } as const;
    let profile: unknown = {};
    for (const { path, kind, values } of settings) {
      profile = withValue(profile, path, kind === "choice" ? values![0] : first[kind]);
    }
    expect(answered(JSON.stringify(profile))).toBeUndefined();
    expect(unknownKeys(schema, profile)).toEqual([]);
    for (const { path } of settings.toReversed()) profile = withValue(profile, path, undefined);
    expect(profile).toEqual({});
  });

  test("one is changed in its place, and the others stay", () => {
    const profile = { b: 1, images: { color: { x: 1 } }, c: 2 };
    expect(JSON.stringify(withValue(profile, ["images", "color", "y"], 3))).toBe(
      '{"b":1,"images":{"color":{"x":1,"y":3}},"c":2}',
    );
    expect(withValue(profile, ["images", "color", "x"], undefined)).toEqual({ b: 1, c: 2 });
    expect(withValue([1], ["a", "b"], 1)).toEqual({ a: { b: 1 } });
    expect(valueAt(profile, ["images", "color", "x"])).toBe(1);
    expect(valueAt(profile, ["b", "x"])).toBeUndefined();
    expect(unknownKeys(schema, profile)).toEqual(["b", "images.color.x", "c"]);
  });
});

describe.each(PROFILE_EXAMPLES)("the example $title", ({ text }) => {
  test("is valid, has only keys that are known and have an effect, and does something", () => {
    const profile = parsed(text)!.value;
    expect(answered(text)).toBeUndefined();
    expect(unknownKeys(schema, profile)).toEqual([]);
    const shown = groupsOf(schema).flatMap(({ settings }) => settings);
    let rest: unknown = profile;
    for (const { path } of shown) rest = withValue(rest, path, undefined);
    expect(rest).toEqual({});
    expect(settingsOfProfile(compressionProfile.parse(profile))).not.toEqual(settingsOfProfile({}));
  });
});
