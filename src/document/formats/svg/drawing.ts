// Recognizes SVG (SVG 2), and reads the size of a drawing and its entities from the text, without parsing the drawing.

import { EngineFailure } from "../../contract/failure.ts";

/** Pixels of CSS per unit (CSS Values 3, 6.2). A relative unit has the size for the initial font. */
const PIXELS: Readonly<Record<string, number>> = {
  ...{ "": 1, px: 1, pt: 96 / 72, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, q: 96 / 101.6, em: 16, rem: 16, ex: 8 },
};
/** Size of a drawing without size and viewBox (CSS 2, 10.3.2). */
const DEFAULT_SIZE = { width: 300, height: 150 };
/** Maximum length of all entities of a drawing after expansion. Programs write a few short ones. */
const MAX_EXPANDED = 2 ** 23;
const LENGTH = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reports whether a text, or its start, is an SVG drawing. */
export const isSvg = (text: string): boolean => /^<(?:[\w-]+:)?svg[\s>/]/.test(behindProlog(text));

/** Returns the text from the first element on; the empty text if there is none. */
function behindProlog(text: string): string {
  let at = 0;
  for (;;) {
    while (/[\s\ufeff]/.test(text[at] ?? "x")) at++;
    const end = endOfProlog(text, at);
    if (end === at) return text.slice(at);
    if (end < 0) return "";
    at = end;
  }
}

/** Returns the end of a comment, an instruction, a section of characters or a document type; the position itself if there is none of them. */
function endOfProlog(text: string, at: number): number {
  const endAfter = (mark: string) => {
    const end = text.indexOf(mark, at);
    return end < 0 ? -1 : end + mark.length;
  };
  if (text.startsWith("<!--", at)) return endAfter("-->");
  if (text.startsWith("<?", at)) return endAfter("?>");
  if (text.startsWith("<![CDATA[", at)) return endAfter("]]>");
  if (!/^<!doctype\s/i.test(text.slice(at, at + 10))) return at;
  const bracket = text.indexOf("[", at);
  const close = text.indexOf(">", at);
  if (bracket < 0 || (close >= 0 && close < bracket)) return close < 0 ? -1 : close + 1;
  const end = /\]\s*>/g;
  end.lastIndex = bracket;
  return end.test(text) ? end.lastIndex : -1;
}

/**
 * Returns the size of a drawing in pixels of CSS.
 * @throws EngineFailure `unsupported` if the text is no drawing, `damaged` if it has no area
 */
export function sizeOfSvg(text: string): Size {
  const [, root] = /^<(?:[\w-]+:)?svg((?:[^>"']|"[^"]*"|'[^']*')*)>/.exec(behindProlog(text)) ?? [];
  if (root === undefined) throw new EngineFailure("unsupported", "no svg element");
  const attribute = (name: string) => new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(root);
  const lengthOf = (name: string): number | undefined => {
    const [, number, unit = ""] = LENGTH.exec(attribute(name)?.slice(1).find(Boolean) ?? "") ?? [];
    const factor = PIXELS[unit.toLowerCase()];
    return number === undefined || factor === undefined ? undefined : Number(number) * factor;
  };
  const box = (attribute("viewBox")?.slice(1).find(Boolean) ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const view = box.length === 4 && box[2]! > 0 && box[3]! > 0 ? { width: box[2]!, height: box[3]! } : undefined;
  const size = fitted({ width: lengthOf("width"), height: lengthOf("height") }, view);
  if (!(size.width > 0 && size.height > 0)) throw new EngineFailure("damaged", "a drawing without area");
  return size;
}

/** Completes a size by the proportions of the viewBox (CSS Images 3, 5.3). */
function fitted(stated: { readonly [K in keyof Size]: number | undefined }, view: Size | undefined): Size {
  const { width, height } = stated;
  if (width !== undefined && height !== undefined) return { width, height };
  if (!view) return { width: width ?? DEFAULT_SIZE.width, height: height ?? DEFAULT_SIZE.height };
  if (width !== undefined) return { width, height: (width * view.height) / view.width };
  if (height !== undefined) return { width: (height * view.width) / view.height, height };
  return view;
}

const TAG = /<(\/?)([^\s<>/!?"'=]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/y;

/**
 * Checks that every element ends, because Chromium shows nothing of a drawing that is truncated.
 * @throws EngineFailure `damaged`
 */
export function checkElements(text: string): void {
  const open: string[] = [];
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    const end = endOfProlog(text, at);
    if (end < 0) throw new EngineFailure("damaged", "markup without an end");
    if (end > at) {
      at = end;
      continue;
    }
    TAG.lastIndex = at;
    const [, slash, name, rest = ""] = TAG.exec(text) ?? [];
    if (name === undefined) throw new EngineFailure("damaged", `no element at ${at}`);
    if (slash === "" && !rest.endsWith("/")) open.push(name);
    if (slash !== "" && open.pop() !== name) throw new EngineFailure("damaged", `the end of ${name} at ${at}`);
    at = TAG.lastIndex;
  }
  if (open.length > 0) throw new EngineFailure("damaged", `no end of ${open.at(-1)}`);
}

/** Returns the position at which the root element lacks its namespace, as in drawings cut from HTML. */
export function missingNamespace(text: string): number | undefined {
  const rest = behindProlog(text);
  return /^<svg(?=[\s>])(?![^>]*\sxmlns\s*=)/.test(rest) ? text.length - rest.length + "<svg".length : undefined;
}

/**
 * Refuses a drawing whose entities become a text of excessive length, or contain themselves. External entities are never
 * loaded.
 * @throws EngineFailure `too-complex`
 */
export function checkEntities(text: string): void {
  const values = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(/<!ENTITY\s+([^\s%"'>]+)\s+(?:"([^"]*)"|'([^']*)')/g)) {
    if (!values.has(name!)) values.set(name!, double ?? single ?? "");
  }
  if (values.size === 0) return;
  const lengths = new Map<string, number>();
  const lengthOf = (content: string, open: ReadonlySet<string>): number => {
    let length = content.length;
    for (const [, name] of content.matchAll(/&([^\s#;&]+);/g)) {
      const value = values.get(name!);
      if (value === undefined) continue;
      if (open.has(name!)) throw new EngineFailure("too-complex", `the entity ${name} contains itself`);
      if (!lengths.has(name!)) lengths.set(name!, lengthOf(value, new Set([...open, name!])));
      length += lengths.get(name!)!;
      if (length - content.length > MAX_EXPANDED)
        throw new EngineFailure("too-complex", "entities of excessive length");
    }
    return length;
  };
  lengthOf(text, new Set());
}
