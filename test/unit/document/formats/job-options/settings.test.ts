// Tests the settings of job options that are taken, ignored and rejected.
// Contract: docs/api.md#job-options
import { expect, test } from "vitest";
import { OutOfRange } from "../../../../../src/document/contract/failure.ts";
import { readJobOptions } from "../../../../../src/document/formats/job-options/settings.ts";
import { JobOptionsError } from "../../../../../src/document/formats/job-options/syntax.ts";

const read = (text: string) => readJobOptions(Buffer.from(text, "latin1"));
const dictionary = (entries: string) => `<< ${entries} >> setdistillerparams`;

/** The notation of Distiller's own files. */
const PRESS = `%!
<<
  /ASCII85EncodePages false
  /AlwaysEmbed [ true /Courier
  ]
  /Binding /Left
  /CalGrayProfile (Dot \\) Gain (20%))
  /ColorACSImageDict <<
    /QFactor 0.15
    /HSamples [1 1 1 1] /VSamples [1 1 1 1]
  >>
  /ColorImageFilter /JPXEncode
  /ColorImageResolution 300
  /CompatibilityLevel 1.3000
  /DownsampleMonoImages true
  /MonoImageResolution 1200
  /Description << /ENU (Use these settings.) /JPN <FEFF30d7> >>
  /OtherNamespaces [ << /Namespace [ (Adobe) (1.0) ] >> ]
>> setdistillerparams
<<
  /HWResolution [2400 2400]
  /PageSize [612.000 792.000]
>> setpagedevice
`;

test("Distiller's own notation: known settings are written anew, and others are named", () => {
  expect(read(PRESS)).toEqual({
    parameters: [
      "/ASCII85EncodePages false",
      "/AlwaysEmbed [ /Courier ]",
      "/ColorACSImageDict << /QFactor 0.15 /HSamples [ 1 1 1 1 ] /VSamples [ 1 1 1 1 ] >>",
      "/ColorImageResolution 300",
      "/CompatibilityLevel 1.3",
    ].join("\n"),
    bilevelDpi: 1200,
    ignored: ["Binding", "CalGrayProfile", "ColorImageFilter", "PageSize"],
  });
});

test.each([
  ["", "Line 1: no settings."],
  ["% only a comment", "Line 1: no settings."],
  ['{\n "a": 1 }', "Line 1: unexpected {."],
  ["<<\n/A true\n>> (file) run", "Line 3: ( instead of setdistillerparams."],
  ["<< /A true >>", "Line 1: the end instead of setdistillerparams."],
  ["<< /A true >> exec", "Line 1: exec instead of setdistillerparams."],
  ["quit", "Line 1: quit instead of a dictionary."],
  [dictionary("/A (a) (b) run"), "Line 1: ( instead of a key."],
  [dictionary("/A {1 2}"), "Line 1: unexpected {."],
  [dictionary("/A currentfile"), "Line 1: currentfile instead of a value."],
  [dictionary("\n/A (never ends"), "Line 2: a string without an end."],
  ["<< /A [ 1 2", "Line 1: the end instead of a value."],
  [dictionary(`/A ${"[".repeat(50)}`), "Line 1: too many nested values."],
  ["\0\x01\x02%PDF", "Line 1: \x01\x02 instead of a dictionary."],
])("not job options: %j", (text, message) => {
  expect(() => read(text)).toThrow(new JobOptionsError(message));
});

test.each([
  ["CompatibilityLevel 2.0", "2"],
  ["ColorImageResolution true", "true"],
  ["MonoImageResolution 1", "1"],
  ["EmbedAllFonts /true", "/true"],
  ["ColorConversionStrategy (CMYK)", "A string"],
  ["GrayImageDict << /HSamples [9] >>", "A dictionary"],
  ["NeverEmbed [/A<</B]", undefined],
  ["NeverEmbed [/a$b]", "An array"],
])("an invalid value: %s", (entry, value) => {
  const reading = () => read(dictionary(`/${entry}`));
  if (value === undefined) expect(reading).toThrow(JobOptionsError);
  else expect(reading).toThrow(new OutOfRange(`job_options.${entry.split(" ")[0]}`, value));
});
