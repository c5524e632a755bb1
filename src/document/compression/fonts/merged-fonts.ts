// Merges subsets of one font into one program if all glyphs that they share are equal. Compares hashes of glyphs, so
// that only one program is in memory at a time.

import { glyphNames } from "../../fonts/cff/cff.ts";
import { desubroutinize } from "../../fonts/cff/desubroutinize.ts";
import { commonOf, type NamedCff, writeNamedCff } from "../../fonts/cff/named-cff.ts";
import { readEmbeddedCff } from "../../fonts/cff/subset-cff.ts";
import { type GlyphSelection, mergeTrueType, outlineHash, readContents } from "../../fonts/truetype/merge-truetype.ts";
import { readDrawnType1 } from "../../fonts/type1/subset-type1.ts";
import { convertType1 } from "../../fonts/type1/to-cff.ts";
import type { FontPlan } from "./font-plan.ts";

/** A program that replaces several programs. */
export interface MergedProgram {
  readonly members: readonly FontPlan[];
  readonly bytes: Uint8Array;
}

type BytesOf = (plan: FontPlan) => Uint8Array | undefined;

/**
 * Maximum number of open clusters per font name. A cluster is a set of programs that can be merged. If there are more,
 * the oldest cluster closes, because each program is compared with every open cluster.
 */
const MAX_OPEN = 8;

type Key = number | string;

/** The contents of one program that decide with which programs it can be merged. */
interface Holding {
  /** The data that must be equal in all merged programs. */
  readonly common: string;
  /** The hash of each glyph. */
  readonly glyphs: ReadonlyMap<Key, number>;
  /** The glyph of each character or code. */
  readonly characters: ReadonlyMap<number, Key>;
}

interface Cluster {
  readonly common: string;
  readonly glyphs: Map<Key, number>;
  readonly characters: Map<number, Key>;
  readonly members: FontPlan[];
}

/** @param bytesOf returns the decoded program of a plan */
export function* mergedPrograms(plans: Iterable<FontPlan>, bytesOf: BytesOf): Generator<MergedProgram> {
  for (const group of groupsOf(plans)) {
    for (const members of collected(group, bytesOf)) {
      const isTrueType = members[0]!.format === "truetype";
      const bytes = isTrueType ? mergeTrueType(partsOf(members, bytesOf)) : writeNamedCff(namedParts(members, bytesOf));
      if (bytes) yield { members, bytes };
    }
  }
}

/** Groups the plans by font name, format and requirements. */
function groupsOf(plans: Iterable<FontPlan>): FontPlan[][] {
  const groups = new Map<string, FontPlan[]>();
  for (const plan of plans) {
    const { format, keepsAll, byNumber, keepsHints, family } = plan;
    if (!mayBeMerged(plan)) continue;
    const key = `${format} ${keepsAll} ${byNumber} ${keepsHints} ${family}`;
    const known = groups.get(key);
    if (known) known.push(plan);
    else groups.set(key, [plan]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function mayBeMerged({
  format,
  areGlyphsKnown,
  keepsAll,
  byNumber,
  byName,
  keepsHints,
  family,
  replacement,
}: FontPlan): boolean {
  if (!areGlyphsKnown || !family || replacement !== undefined) return false;
  // For a TrueType program that keeps all glyphs, the plan does not list the characters that are looked up.
  if (format === "truetype") return byNumber || !keepsAll;
  return byName === true && (format === "cff" || (!keepsAll && !keepsHints));
}

function* partsOf(
  plans: readonly FontPlan[],
  bytesOf: BytesOf,
): Generator<readonly [bytes: Uint8Array | undefined, wanted: GlyphSelection]> {
  for (const plan of plans) yield [bytesOf(plan), wantedOf(plan)];
}

function* namedParts(plans: readonly FontPlan[], bytesOf: BytesOf): Generator<NamedCff | undefined> {
  for (const plan of plans) yield namedCffOf(plan, bytesOf(plan));
}

const wantedOf = ({ glyphs, keepsAll, byNumber, characters, keepsHints }: FontPlan): GlyphSelection => ({
  glyphs,
  keepsAll,
  characters: byNumber ? undefined : characters,
  withoutHints: !keepsHints && !keepsAll,
});

function collected(plans: readonly FontPlan[], bytesOf: BytesOf): (readonly FontPlan[])[] {
  const open: Cluster[] = [];
  const found: (readonly FontPlan[])[] = [];
  for (const plan of plans) {
    const bytes = bytesOf(plan);
    const isTrueType = plan.format === "truetype";
    const holding = isTrueType ? bytes && readContents(bytes, wantedOf(plan)) : holdingOfNames(namedCffOf(plan, bytes));
    if (!holding) continue;
    const fitting = open.find((cluster) => fits(cluster, holding));
    if (fitting) {
      for (const [glyph, print] of holding.glyphs) fitting.glyphs.set(glyph, print);
      for (const [character, glyph] of holding.characters) fitting.characters.set(character, glyph);
      fitting.members.push(plan);
      continue;
    }
    const { common, glyphs, characters } = holding;
    open.unshift({ common, glyphs: new Map(glyphs), characters: new Map(characters), members: [plan] });
    if (open.length > MAX_OPEN) found.push(open.pop()!.members);
  }
  found.push(...open.map(({ members }) => members));
  return found.filter(({ length }) => length > 1);
}

function fits(cluster: Cluster, { common, glyphs, characters }: Holding): boolean {
  if (cluster.common !== common) return false;
  for (const [glyph, print] of glyphs) if ((cluster.glyphs.get(glyph) ?? print) !== print) return false;
  for (const [character, glyph] of characters) {
    if ((cluster.characters.get(character) ?? glyph) !== glyph) return false;
  }
  return true;
}

/** @returns undefined if the program cannot be converted to a CFF program that has no subroutines */
export function namedCffOf(plan: FontPlan, bytes: Uint8Array | undefined): NamedCff | undefined {
  const { format, glyphs, keepsAll, characters: codes } = plan;
  if (!bytes) return undefined;
  if (format === "type1") {
    const drawn = readDrawnType1(bytes);
    const all = [...(drawn?.font.glyphs.keys() ?? [])];
    return drawn && convertType1(drawn, { names: Array.from(glyphs, (glyph) => all[glyph] ?? ""), codes });
  }
  const cff = readEmbeddedCff(bytes);
  if (!cff || cff.isWrapped) return undefined;
  try {
    const all = glyphNames(cff.font);
    return desubroutinize(cff.font, { names: keepsAll ? all : Array.from(glyphs, (glyph) => all[glyph] ?? ""), codes });
  } catch (error) {
    // The program refers to data outside itself.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function holdingOfNames(font: NamedCff | undefined): Holding | undefined {
  if (!font) return undefined;
  const prints = Array.from(
    font.glyphs,
    ([name, { width, charString }]) => [name, outlineHash(charString, Math.round(width))] as const,
  );
  return { common: commonOf(font), glyphs: new Map(prints), characters: font.codes };
}
