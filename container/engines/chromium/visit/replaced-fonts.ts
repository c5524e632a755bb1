// Finds the fonts that the browser replaced in a page: of each list of families in CSS, whether one of them is used.

import { type FontSubstitutions, NO_SUBSTITUTIONS } from "../../../fonts/substitutions.ts";
import { ProtocolError, type Session } from "../pipe.ts";

/** Number of lists that are looked at, and of texts in which they are looked for. */
const MOST = { lists: 50, texts: 20_000 };

/** Matches names that stand for a kind of font. */
const GENERIC = /^((ui-)?(serif|sans-serif|monospace|rounded)|cursive|fantasy|system-ui|math|emoji|-.*|blinkmac.*)$/i;

/** The list of a page that asks for no font. */
const DEFAULT = '"Times New Roman"';

interface World {
  readonly session: Session;
  readonly contextId: number;
}

/** Texts in shadow trees and frames are left out. */
export async function replacedFonts(world: World): Promise<FontSubstitutions> {
  const { session, contextId } = world;
  const expression = `(globalThis.sample = (${sampleTexts})(${JSON.stringify(MOST)})).map(({ list }) => list)`;
  const { result } = await session.send("Runtime.evaluate", { expression, contextId, returnByValue: true });
  await Promise.all([session.send("DOM.enable"), session.send("DOM.getDocument", { depth: 0 })]);
  await session.send("CSS.enable");
  const replaced = new Map<string, string>();
  for (const [index, list] of (result.value as string[]).entries()) {
    const named = list === DEFAULT ? [] : familiesIn(list).filter((family) => !GENERIC.test(family));
    const used = named.length === 0 ? undefined : await mainFont(world, index);
    if (!used || used.isCustomFont || named.some((name) => isSame(name, used.familyName))) continue;
    replaced.set(named[0]!, used.postScriptName.replace(/-Regular$/, ""));
  }
  const fonts = [...replaced].map(([name, replacedBy]) => ({ name, replacedBy }));
  return fonts.length === 0 ? NO_SUBSTITUTIONS : { count: fonts.length, fonts };
}

const familiesIn = (list: string): string[] =>
  Array.from(list.matchAll(/"([^"]*)"|([^\s",][^",]*)/g), ([, quoted, bare]) => (quoted ?? bare!).trim());

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Returns the font of most glyphs of a text; undefined if the text is gone or has no glyphs. */
async function mainFont({ session, contextId }: World, index: number) {
  try {
    const expression = `sample[${index}].element`;
    const { result } = await session.send("Runtime.evaluate", { expression, contextId });
    const { nodeId } = await session.send("DOM.requestNode", { objectId: result.objectId! });
    const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
    return fonts.toSorted((one, other) => other.glyphCount - one.glyphCount)[0];
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

/** Runs inside a page, so it must not use outer variables. Returns an element with text for each list of families. */
function sampleTexts({ lists, texts }: typeof MOST): { list: string; element: Element }[] {
  const found = new Map<string, Element>();
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < texts && found.size < lists && walker.nextNode(); seen++) {
    const { parentElement: element, nodeValue } = walker.currentNode;
    if (!element || !/\S/.test(nodeValue ?? "") || !element.checkVisibility()) continue;
    const list = getComputedStyle(element).fontFamily;
    if (!found.has(list)) found.set(list, element);
  }
  return [...found].map(([list, element]) => ({ list, element }));
}
