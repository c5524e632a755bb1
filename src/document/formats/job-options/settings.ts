// Selects the settings of job options that Ghostscript has, too, and writes them anew. What is written contains only
// names, numbers and booleans.

import { OutOfRange } from "../../contract/failure.ts";
import { JobName, JobText, type JobValue, parseJobOptions } from "./syntax.ts";

export interface JobOptions {
  /** Entries of a dictionary for setdistillerparams. */
  readonly parameters: string;
  /** Highest resolution of bilevel images. @default unlimited */
  readonly bilevelDpi?: number;
  /** Names of the settings that are ignored. */
  readonly ignored: readonly string[];
}

/** Returns a value as PostScript; undefined if Ghostscript has no such choice. @throws RangeError */
type Writer = (value: JobValue) => string | undefined;

const boolean: Writer = (value) => {
  if (typeof value !== "boolean") throw new RangeError();
  return String(value);
};
const within =
  (min: number, max: number): Writer =>
  (value) => {
    if (typeof value !== "number" || value < min || value > max) throw new RangeError();
    return String(value);
  };
const oneOf =
  (...names: string[]): Writer =>
  (value) => {
    if (!(value instanceof JobName)) throw new RangeError();
    return names.includes(value.name) ? `/${value.name}` : undefined;
  };
/** Names of fonts. Distiller's lists begin with a boolean. */
const fonts: Writer = (value) => {
  if (!Array.isArray(value)) throw new RangeError();
  const names = value.flatMap((one) => (one instanceof JobName ? [one.name] : []));
  if (names.some((name) => !/^[\w.+-]{1,127}$/.test(name))) throw new RangeError();
  return `[ ${names.map((name) => `/${name}`).join(" ")} ]`;
};
const samples: Writer = (value) => {
  if (!Array.isArray(value) || value.length > 4) throw new RangeError();
  return `[ ${value.map(within(1, 4)).join(" ")} ]`;
};
const dictionary =
  (entries: Readonly<Record<string, Writer>>): Writer =>
  (value) => {
    if (!(value instanceof Map)) throw new RangeError();
    const written = Object.entries(entries).flatMap(([key, write]) =>
      value.has(key) ? [`/${key} ${write(value.get(key))}`] : [],
    );
    return `<< ${written.join(" ")} >>`;
  };

const resolution = within(9, 2400);
const jpeg = dictionary({
  ...{ QFactor: within(0, 100), Blend: within(0, 1), ColorTransform: within(0, 1) },
  ...{ HSamples: samples, VSamples: samples },
});
const ofImages = (kind: "Color" | "Gray"): Readonly<Record<string, Writer>> => ({
  [`AutoFilter${kind}Images`]: boolean,
  [`Downsample${kind}Images`]: boolean,
  [`Encode${kind}Images`]: boolean,
  [`${kind}ImageFilter`]: oneOf("DCTEncode", "FlateEncode"),
  [`${kind}ImageDownsampleType`]: oneOf("Subsample", "Average", "Bicubic"),
  [`${kind}ImageDownsampleThreshold`]: within(1, 10),
  [`${kind}ImageResolution`]: resolution,
  [`${kind}ImageDict`]: jpeg,
  [`${kind}ACSImageDict`]: jpeg,
});

const SETTINGS: Readonly<Record<string, Writer>> = {
  AlwaysEmbed: fonts,
  ASCII85EncodePages: boolean,
  AutoRotatePages: oneOf("None", "All", "PageByPage"),
  CannotEmbedFontPolicy: oneOf("OK", "Warning", "Error"),
  ColorConversionStrategy: oneOf("LeaveColorUnchanged", "UseDeviceIndependentColor", "sRGB", "CMYK", "Gray", "RGB"),
  CompatibilityLevel: within(1.2, 1.7),
  CompressPages: boolean,
  DefaultRenderingIntent: oneOf(
    ...["Default", "Perceptual", "Saturation", "RelativeColorimetric", "AbsoluteColorimetric"],
  ),
  EmbedAllFonts: boolean,
  EncodeMonoImages: boolean,
  MaxSubsetPct: within(0, 100),
  MonoImageDict: dictionary({ K: within(-1, 1000) }),
  MonoImageFilter: oneOf("CCITTFaxEncode", "FlateEncode", "RunLengthEncode"),
  NeverEmbed: fonts,
  PreserveHalftoneInfo: boolean,
  PreserveOverprintSettings: boolean,
  SubsetFonts: boolean,
  TransferFunctionInfo: oneOf("Preserve", "Remove", "Apply"),
  UCRandBGInfo: oneOf("Preserve", "Remove"),
  ...ofImages("Color"),
  ...ofImages("Gray"),
};

/** Settings that another step applies, because Ghostscript drops rows and columns of bilevel images. */
const BILEVEL: Readonly<Record<string, Writer>> = { DownsampleMonoImages: boolean, MonoImageResolution: resolution };
/** Settings that describe the job options. */
const ABOUT = new Set([
  "Description",
  "Namespace",
  "OtherNamespaces",
  "LockDistillerParams",
  "MonoImageDownsampleType",
]);

/**
 * @throws JobOptionsError if the text is no job options
 * @throws OutOfRange `job_options.` and the name of a setting whose value is invalid
 */
export function readJobOptions(bytes: Uint8Array): JobOptions {
  const { setdistillerparams: settings, setpagedevice } = parseJobOptions(
    Buffer.from(bytes)
      .toString("latin1")
      .replace(/^\xef\xbb\xbf/, ""),
  );
  const ignored: string[] = [];
  const parameters: string[] = [];
  for (const [key, value] of settings) {
    const write = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
    const text = write && written(key, value, write);
    if (text !== undefined) parameters.push(`/${key} ${text}`);
    else if (!ABOUT.has(key) && !Object.hasOwn(BILEVEL, key)) ignored.push(key);
  }
  for (const [key, write] of Object.entries(BILEVEL)) {
    const value = settings.get(key);
    if (value !== undefined) written(key, value, write);
  }
  const dpi = settings.get("DownsampleMonoImages") === true ? settings.get("MonoImageResolution") : undefined;
  ignored.push(...[...setpagedevice.keys()].filter((key) => key !== "HWResolution"));
  return {
    parameters: parameters.join("\n"),
    ...(typeof dpi === "number" ? { bilevelDpi: Math.round(dpi) } : {}),
    ignored,
  };
}

function written(key: string, value: JobValue, write: Writer): string | undefined {
  try {
    return write(value);
  } catch (error) {
    if (error instanceof RangeError) throw new OutOfRange(`job_options.${key}`, shown(value));
    throw error;
  }
}

const shown = (value: JobValue): string => {
  if (value instanceof JobName) return `/${value.name}`;
  if (value instanceof JobText) return "A string";
  return typeof value === "object" ? (Array.isArray(value) ? "An array" : "A dictionary") : String(value);
};
