// The common part of operations with a language model: their parameters, and the text and the output.
import { EngineFailure } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { countedNotices } from "../document/contract/notice.ts";
import type { Context, Input, LanguageModel, Output } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { decodeText } from "../document/formats/text/decode.ts";
import { bytesOf, tokensIn } from "../document/language/tokens.ts";

export const MODEL_PARAMETERS = {
  pages: parameter("The pages of a PDF to read.", pages, "1-last"),
  outputFormat: parameter("What the text of the answer is.", choice(["plaintext", "markdown"]), "markdown"),
  outputType: parameter(
    "json for the data themselves, file for a file that has the text.",
    choice(["json", "file"]),
    "json",
  ),
};

/** Bytes of a text with as many tokens as allowed, if each of its characters is ASCII in UTF-16. */
const MAX_BYTES = 2 * bytesOf(LIMITS.modelTextTokens);

/** @throws EngineFailure `too-complex` */
async function textOf(input: Input): Promise<string> {
  const text = input.size > MAX_BYTES ? undefined : decodeText(await input.bytes()).trim();
  if (text !== undefined && tokensIn(text) <= LIMITS.modelTextTokens) return text;
  throw new EngineFailure("too-complex", "the text is too long", {
    why: `The text can have at most ${bytesOf(LIMITS.modelTextTokens).toLocaleString("en-US")} bytes in UTF-8.`,
  });
}

/** What an operation answers: the text for a file, and the data for a response. */
interface Answered {
  readonly text: string;
  readonly data: object;
}

/**
 * Yields what the work makes of the text of the input.
 * @throws EngineFailure `too-complex` if the text is too long
 */
export async function* withModel(
  [input]: readonly Input[],
  { outputFormat, outputType }: Params<typeof MODEL_PARAMETERS>,
  { model }: Context,
  work: (text: string, model: LanguageModel) => Promise<Answered>,
): AsyncGenerator<Output> {
  if (!model) throw new EngineFailure("crashed", "no language model in this process");
  const text = await textOf(input!);
  const { text: answer, data } = await work(text, model);
  const [extension, type] = {
    json: ["json", "application/json"] as const,
    plaintext: ["txt", "text/plain"] as const,
    markdown: ["md", "text/markdown"] as const,
  }[outputType === "json" ? "json" : outputFormat];
  yield {
    ...{ extension, type },
    body: Buffer.from(outputType === "json" ? JSON.stringify(data) : answer),
    notices: () => countedNotices("no-text", text === "" ? 1 : 0),
  };
}
