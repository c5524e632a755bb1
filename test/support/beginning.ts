// Matches the sentence of an error, with or without an explanation after it (docs/api.md#errors).
import { expect } from "vitest";

/** Matches a text that equals this sentence or begins with it. */
export const beginning = (sentence: string): string =>
  expect.stringMatching(new RegExp(`^${escaped(sentence)}(?: [^ ]|$)`));

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
