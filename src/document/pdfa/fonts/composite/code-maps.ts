// Reads the CMaps of Type 0 fonts (ISO 32000-1, 9.7.5), including the CMaps that they extend, and rewrites CMaps that
// ISO 19005 forbids (-1, 6.3.3.3; -2, 6.2.11.3.3).

import { EngineFailure } from "../../../contract/failure.ts";
import type { FontProvider } from "../../../contract/font-provider.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { Dictionary, Name, PdfString, type Reference, type Value } from "../../../objects/values.ts";
import { type CharacterCode, CMap, type CodeSpace, parseCMap } from "../../../text/cmap.ts";
import { plainStream } from "../font-program.ts";
import type { FontTask } from "../shown-font.ts";

const MAX_BYTES = 16 * 2 ** 20;
/** Maximum length of a chain of CMaps that extend each other. */
const MAX_BASES = 6;
const ENTRIES_AT_ONCE = 100;
/** The character collection of CIDs (9.7.3). */
export interface SystemInfo {
  readonly registry: string;
  readonly ordering: string;
  readonly supplement: number;
}

/** @returns undefined if the entry is missing or incomplete */
export function systemInfoOf(file: PdfFile, value: Value | undefined): SystemInfo | undefined {
  const info = file.dictionary(value);
  const [registry, ordering] = ["Registry", "Ordering"].map((key) => file.string(info?.get(key))?.latin1);
  const supplement = file.number(info?.get("Supplement"));
  if (!registry || !ordering || supplement === undefined) return undefined;
  return { registry, ordering, supplement };
}

export function systemInfoDictionary({ registry, ordering, supplement }: SystemInfo): Dictionary {
  return Dictionary.of({
    Registry: new PdfString(registry),
    Ordering: new PdfString(ordering),
    Supplement: supplement,
  });
}

/** Reads CMaps by name or from streams. Each named CMap is read once. */
export class CodeMaps {
  readonly #file: PdfFile;
  readonly #fonts: FontProvider;
  readonly #named = new Map<string, CMap | undefined>();

  constructor(file: PdfFile, fonts: FontProvider) {
    this.#file = file;
    this.#fonts = fonts;
  }

  /** @returns undefined for an unknown CMap */
  async named(name: string, depth = 0): Promise<CMap | undefined> {
    if (name === "Identity-H" || name === "Identity-V") return CMap.identity(name.endsWith("V"));
    if (this.#named.has(name)) return this.#named.get(name);
    const bytes = depth <= MAX_BASES && /^[\w-]{1,40}$/.test(name) ? this.#fonts.cmap(name) : undefined;
    const map = bytes && parseCMap(bytes);
    if (map?.baseName) map.base = await this.named(map.baseName, depth + 1);
    this.#named.set(name, map);
    return map;
  }

  /** @param encoding the encoding of a Type 0 font */
  async read(encoding: Value | undefined, depth = 0): Promise<CMap | undefined> {
    const file = this.#file;
    const name = file.name(encoding);
    if (name !== undefined) return await this.named(name);
    const stream = file.stream(encoding);
    if (!stream || depth > MAX_BASES) return undefined;
    let map: CMap;
    try {
      map = parseCMap(stream.body.decoded(MAX_BYTES));
    } catch (error) {
      if (error instanceof EngineFailure && error.reason !== "crashed") return undefined;
      throw error;
    }
    // WMode in the dictionary, 0 by default (table 120), must equal WMode in the CMap. If the dictionary has the entry,
    // it takes precedence.
    const mode = file.number(stream.dictionary.get("WMode"));
    map.isModeAgreed = (mode ?? 0) === (map.isVertical ? 1 : 0);
    if (mode !== undefined) map.isVertical = mode === 1;
    const use = stream.dictionary.get("UseCMap");
    if (use !== undefined) map.base = await this.read(use, depth + 1);
    if (!map.base && map.baseName !== undefined) map.base = await this.named(map.baseName);
    return map;
  }
}

/**
 * Reports whether a CMap can stay unchanged. Of the predefined CMaps, only Identity-H and Identity-V can. All others
 * are embedded, although parts 2 and 3 allow them: validators confuse some of their names, and for some of them,
 * readers find no Unicode values.
 */
export function mayStay(
  { file, areCMapsDistrusted }: FontTask,
  encoding: Value | undefined,
  map: CMap,
  info: SystemInfo,
): boolean {
  const name = file.name(encoding);
  if (name === "Identity-H" || name === "Identity-V") return true;
  const stream = file.stream(encoding);
  if (areCMapsDistrusted || !stream || map.base || map.baseName !== undefined) return false;
  const own = systemInfoOf(file, stream.dictionary.get("CIDSystemInfo"));
  const isSame = own?.registry === info.registry && own.ordering === info.ordering && info.supplement <= own.supplement;
  const hasName = file.name(stream.dictionary.get("CMapName")) !== undefined;
  return isSame && isOf(info, map) && map.isModeAgreed && hasName;
}

function isOf({ registry, ordering, supplement }: SystemInfo, map: CMap): boolean {
  return map.registry === registry && map.ordering === ordering && supplement <= (map.supplement ?? -1);
}

/** Writes a CMap stream with only the given codes. */
export function writeCodeMap(
  file: PdfFile,
  map: CMap,
  info: SystemInfo,
  cids: ReadonlyMap<CharacterCode, number>,
): Reference {
  const mode = map.isVertical ? 1 : 0;
  const name = `${info.ordering.replace(/[^\w-]/g, "")}-Shown-${map.isVertical ? "V" : "H"}`;
  const spaces = map.allSpaces();
  const escaped = (text: string) => text.replace(/[\\()]/g, (one) => `\\${one}`);
  const lines = [
    "%!PS-Adobe-3.0 Resource-CMap",
    "/CIDInit /ProcSet findresource begin",
    "12 dict begin",
    "begincmap",
    "/CIDSystemInfo 3 dict dup begin",
    `/Registry (${escaped(info.registry)}) def`,
    `/Ordering (${escaped(info.ordering)}) def`,
    `/Supplement ${info.supplement} def`,
    "end def",
    `/CMapName /${name} def`,
    "/CMapVersion 1 def",
    "/CMapType 1 def",
    `/WMode ${mode} def`,
    ...inPortions(spaces, "codespacerange", ({ low, high, bytes }) => `<${hex(low, bytes)}> <${hex(high, bytes)}>`),
  ];
  const entries = [...cids].filter(([, cid]) => cid >= 0 && cid <= 0xffff);
  entries.sort(([a], [b]) => a.bytes - b.bytes || a.code - b.code);
  lines.push(...inPortions(entries, "cidchar", ([{ code, bytes }, cid]) => `<${hex(code, bytes)}> ${cid}`));
  lines.push("endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end", "");
  const dictionary = Dictionary.of({
    Type: Name.of("CMap"),
    CMapName: Name.of(name),
    CIDSystemInfo: systemInfoDictionary(info),
    WMode: mode,
  });
  return file.add(plainStream(file, Buffer.from(lines.join("\n"), "latin1"), dictionary));
}

const hex = (value: number, bytes: number) => value.toString(16).padStart(bytes * 2, "0");

function inPortions<T extends CodeSpace | readonly [CharacterCode, number]>(
  all: readonly T[],
  kind: string,
  line: (one: T) => string,
): string[] {
  const lines: string[] = [];
  for (let at = 0; at < all.length; at += ENTRIES_AT_ONCE) {
    const some = all.slice(at, at + ENTRIES_AT_ONCE);
    lines.push(`${some.length} begin${kind}`, ...some.map(line), `end${kind}`);
  }
  return lines;
}
