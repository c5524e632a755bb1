// Watermarks behind the pages, and stamps on top of them.

import { isObject, ranges } from "./fields.ts";
import type { ForeignForm, StepBody } from "./plan.ts";

type Options = Readonly<Record<string, unknown>>;

/** Gray text from the lower left to the upper right, like that of pdfcpu. */
const TEXT = { text_color_rgb: "128,128,128", text_size: "48", rotation: "-45", opacity: "1" };

/** Parameters of /watermarked-pdf, by the options of pdfcpu. */
const OPTIONS: Readonly<Record<string, (value: string) => Readonly<Record<string, string>>>> = {
  font: (value) => ({ font: value }),
  points: (value) => ({ text_size: value }),
  color: (value) => ({ text_color_rgb: rgbOf(value) }),
  opacity: (value) => ({ opacity: value }),
  // Angles of pdfcpu are counterclockwise.
  rotation: (value) => ({ rotation: String(-Number(value)) }),
};

/** @returns the color of a text such as `#ff0000`; any other text unchanged, which is refused later */
function rgbOf(color: string): string {
  const [, ...parts] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(color) ?? [];
  return parts.length === 0 ? color : parts.map((part) => Number.parseInt(part, 16)).join(",");
}

/** Returns one step for each mark. Repeated fields belong together by their positions. */
export function markSteps(form: ForeignForm, kind: "watermark" | "stamp"): readonly StepBody[] {
  const { values, errors } = form;
  const at = (name: string, index: number) => values.get(`${kind}${name}`)?.[index] ?? "";
  const files = form.filesOf(kind).values();
  return (values.get(`${kind}Source`) ?? []).map((source, index) => {
    const pages = at("Pages", index) === "" ? "" : ranges.read(at("Pages", index));
    if (pages === undefined) errors.add(`form field '${kind}Pages' is invalid (got '${at("Pages", index)}')`);
    const common = {
      behind_page: kind === "watermark" ? "true" : "false",
      ...(pages ? { pages } : {}),
      ...optionsOf(at("Options", index), kind, errors),
    };
    if (source === "text") {
      if (at("Expression", index) === "") errors.add(`form field '${kind}Expression' is required`);
      return { "watermarked-pdf": { ...TEXT, watermark_text: at("Expression", index), ...common } };
    }
    const file = files.next().value;
    if (source !== "pdf") errors.add(`form field '${kind}Source' is not supported with the value '${source}'`);
    else if (!file) errors.add(`a ${kind} file is required for image or pdf source`);
    return {
      "watermarked-pdf": { watermark_file: file?.name ?? "", watermark_file_scale: "1", opacity: "1", ...common },
    };
  });
}

function optionsOf(given: string, kind: string, errors: ForeignForm["errors"]): Options {
  if (given === "") return {};
  let options: unknown;
  try {
    options = JSON.parse(given);
  } catch {
    // Reported below.
  }
  if (!isObject(options)) {
    errors.add(`form field '${kind}Options' is invalid`);
    return {};
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown.length > 0) errors.add(`form field '${kind}Options' is not supported with ${unknown.join(", ")}`);
  return Object.assign({}, ...Object.entries(options).map(([name, value]) => OPTIONS[name]?.(String(value))));
}
