// Translates a text with a language model, piece by piece, each with the end of the piece before it as its context.
import { EngineFailure } from "../contract/failure.ts";
import type { LanguageModel } from "../contract/operation.ts";
import { languageOf } from "../contract/parameters/language.ts";
import { askAbout, eachOf, FRAME_TOKENS, WRITTEN, type WrittenFormat } from "./conversation.ts";
import { endOf, piecesOf } from "./pieces.ts";
import { tokensIn } from "./tokens.ts";

/** A translation can be this many times as long as its source, in tokens. */
const GROWTH = 3;
const CONTEXT_SHARE = 1 / 8;
/** Pieces that are not divided further if their translation is cut off. */
const SMALLEST_TOKENS = 64;
const LANGUAGES = /^LANGUAGES?: *([\w, -]{2,100})\s*\n+/i;

export interface Translation {
  readonly text: string;
  /** Tags of the languages of the source, as far as the model named them. */
  readonly sourceLanguages: readonly string[];
}

/**
 * @param language tag of the language to translate to
 * @throws EngineFailure `model-failed`, `model-unavailable`
 */
export async function translate(
  text: string,
  { language, outputFormat }: { readonly language: string; readonly outputFormat: WrittenFormat },
  model: LanguageModel,
  signal: AbortSignal,
): Promise<Translation> {
  const pieceTokens = Math.floor((model.contextTokens - FRAME_TOKENS) / (1 + CONTEXT_SHARE + GROWTH));
  const task = `You translate documents to ${languageOf(language)!.name} (${language}), completely and faithfully: no \
summary, nothing added or left out. Keep headings, lists, tables, numbers, names, links and code. Text that is in the \
language already stays as it is. Begin your answer with a line such as "LANGUAGES: en, fr", which has the ISO 639 codes of \
the languages of the document, and then an empty line. ${WRITTEN[outputFormat]}`;
  const translatePiece = async (part: string, before: string, all: AbortSignal): Promise<readonly Translation[]> => {
    if (part.trim() === "") return [{ text: part, sourceLanguages: [] }];
    const tokens = tokensIn(part);
    const answerTokens = GROWTH * Math.max(tokens, SMALLEST_TOKENS);
    const answer = await askAbout({ task, part, before, answerTokens }, model, all);
    if (!answer.isCut) return [translationIn(answer.text, part)];
    if (tokens <= SMALLEST_TOKENS) throw new EngineFailure("model-failed", "the translation is cut off");
    const halves: Translation[] = [];
    for (const half of piecesOf(part, Math.ceil(tokens / 2))) halves.push(...(await translatePiece(half, before, all)));
    return halves;
  };
  const pieces = piecesOf(text, pieceTokens);
  const parts = await eachOf(pieces, signal, (part, index, all) =>
    translatePiece(part, endOf(pieces[index - 1] ?? "", pieceTokens * CONTEXT_SHARE), all),
  );
  const all = parts.flat();
  return {
    text: all.map((one) => one.text).join(""),
    sourceLanguages: [...new Set(all.flatMap(({ sourceLanguages }) => sourceLanguages))],
  };
}

/** Reads an answer. The space after the translation is that after the source. */
function translationIn(answer: string, source: string): Translation {
  const [line = "", list = ""] = LANGUAGES.exec(answer) ?? [];
  const text = answer.slice(line.length).trim();
  if (text === "") throw new EngineFailure("model-failed", "the translation is empty");
  const sourceLanguages = list.split(",").flatMap((tag) => languageOf(tag.trim())?.tag ?? []);
  return { text: text + source.slice(source.trimEnd().length), sourceLanguages };
}
