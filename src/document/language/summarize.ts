// Summarizes a text with a language model: a long text by notes about its pieces, which are summarized in turn.
import { EngineFailure, OutOfRange } from "../contract/failure.ts";
import type { LanguageModel } from "../contract/operation.ts";
import { askAbout, eachOf, FRAME_TOKENS, WRITTEN, type WrittenFormat } from "./conversation.ts";
import { endOf, piecesOf } from "./pieces.ts";
import { tokensIn } from "./tokens.ts";

/** What a summary looks like, by format. */
const FORMS = {
  overview: "an overview in connected paragraphs",
  highlight: "the most important statements, each as a short paragraph",
  abstract: "an abstract as of a scientific paper: purpose, methods, results and conclusions, in one paragraph",
  bullet_points: "a list of bullet points",
  numbered_list: "a numbered list",
  table_of_contents: "a table of contents: the subjects in their order, with numbers, each with a phrase about it",
  outline: "an outline with nested points",
  question_answer: "questions that the document answers, each followed by its answer",
  action_items:
    "a list of the action items: what is to be done, by whom and until when, as far as the document says so",
} as const;
type Form = keyof typeof FORMS;
export const SUMMARY_FORMATS = Object.keys(FORMS) as [Form, ...Form[]];

/** Tokens of a word in languages that need many. */
const WORD_TOKENS = 3;
const SHORTEST_ANSWER_TOKENS = 200;
/** Room for a summary, however short it is to be, because models write more than they are asked for. */
const ANSWER_SHARE = 1 / 4;
/** Notes are this much shorter than their piece, so that notes of notes come to an end. */
const NOTES_SHARE = 1 / 6;
const OVERLAP_SHARE = 1 / 16;

export interface SummaryWishes {
  readonly targetWordCount: number;
  readonly summaryFormat: Form;
  readonly outputFormat: WrittenFormat;
}

/** @throws EngineFailure `model-failed`, `model-unavailable`; OutOfRange `targetWordCount` */
export async function summarize(
  text: string,
  { targetWordCount: words, summaryFormat, outputFormat }: SummaryWishes,
  model: LanguageModel,
  signal: AbortSignal,
): Promise<string> {
  const roomTokens = model.contextTokens - FRAME_TOKENS;
  const neededTokens = SHORTEST_ANSWER_TOKENS + WORD_TOKENS * words;
  if (neededTokens > roomTokens / 2) {
    const most = Math.floor((roomTokens / 2 - SHORTEST_ANSWER_TOKENS) / WORD_TOKENS);
    throw new OutOfRange("targetWordCount", String(words), `The language model can write at most ${most} words.`);
  }
  const answerTokens = Math.max(neededTokens, Math.floor(roomTokens * ANSWER_SHARE));
  const source = await shortened(text, roomTokens - answerTokens, { model, signal });
  const task = `You summarize documents. Write ${FORMS[summaryFormat]}, of about ${words} words in all, in the language \
of the document. State nothing that the document does not say. ${WRITTEN[outputFormat]}`;
  const { text: summary, isCut } = await askAbout({ task, part: source, answerTokens }, model, signal);
  if (isCut) throw new EngineFailure("model-failed", "the summary is cut off");
  return summary;
}

interface Asking {
  readonly model: LanguageModel;
  readonly signal: AbortSignal;
}

/** Returns the text, or notes about its pieces, in at most a number of tokens. */
async function shortened(text: string, mostTokens: number, { model, signal }: Asking): Promise<string> {
  if (tokensIn(text) <= mostTokens) return text;
  const roomTokens = model.contextTokens - FRAME_TOKENS;
  const pieceTokens = Math.floor(roomTokens / (1 + NOTES_SHARE + OVERLAP_SHARE));
  const answerTokens = Math.floor(pieceTokens * NOTES_SHARE);
  const task = `You take notes for a summary of a long document, of which you read one part. Write down its \
statements, names, numbers, dates and tasks, in their order and in the language of the document, in at most \
${Math.floor(answerTokens / WORD_TOKENS)} words. State nothing that the document does not say.`;
  const pieces = piecesOf(text, pieceTokens);
  const notes = await eachOf(pieces, signal, async (part, index, all) => {
    const before = endOf(pieces[index - 1] ?? "", pieceTokens * OVERLAP_SHARE);
    return (await askAbout({ task, part, before, answerTokens }, model, all)).text;
  });
  const joined = notes.join("\n\n");
  if (tokensIn(joined) >= tokensIn(text)) throw new EngineFailure("model-failed", "notes are as long as their text");
  return shortened(joined, mostTokens, { model, signal });
}
