// Finds the places at which lines of a paragraph can break (Unicode Standard Annex 14). Scripts without spaces between
// words, such as Thai, break between the words of a dictionary.
/// <reference path="./linebreak.d.ts" />
/** Scripts whose words are found with a dictionary: class SA of the annex. */
const WITHOUT_SPACES = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
let words: Intl.Segmenter | undefined;

/** Returns indices of UTF-16 units in ascending order, without the start, with the end. */
export async function lineBreaks(text: string): Promise<readonly number[]> {
  // Loaded when it is needed: its tables take a long time at the start of a process.
  const { default: LineBreaker } = await import("linebreak");
  const places = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) places.add(next.position);
  for (const { 0: stretch, index } of text.matchAll(WITHOUT_SPACES)) {
    words ??= new Intl.Segmenter("th", { granularity: "word" });
    for (const { index: start } of words.segment(stretch)) if (start > 0) places.add(index + start);
  }
  return [...places].sort((one, other) => one - other);
}
