// Inserts Markdown texts into an HTML page. Images of the texts keep their addresses: the page loads them like its own.

import { EngineFailure } from "../../document/contract/failure.ts";
import { extensionIn } from "../../document/contract/file-name.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { decodeText } from "../../document/formats/text/decode.ts";
import { markdownPage } from "../../document/texts/markdown-page.ts";
import { MARKDOWN, fillTemplate as signature } from "../to-pdf/fill-template.ts";

const ACTION =
  /\{\{-?\s*(?:toHTML\s+(?:"([^"\n]*)"|`([^`\n]*)`)|\/\*(?:(?!\*\/)[\s\S]){0,1000}\*\/)\s*-?\}\}|\{\{[^}]*\}?\}?/g;
const COMMENT = /^\{\{-?\s*\/\*/;
/** An action in a message is not longer. */
const SHOWN_LENGTH = 100;
const IMAGES = {
  image: (source: string, alt: string | undefined) => ({ source, ...(alt === undefined ? {} : { alt }) }),
};

/** @throws EngineFailure `unsupported` for a text that is missing, or another action of the template; `too-complex` */
const run: Run<Record<string, never>> = async function* ([page, ...others]) {
  if (!page || page.size === 0) throw new EngineFailure("unsupported", "an empty file");
  const texts = new Map(others.filter(({ role }) => role === MARKDOWN).map((text) => [text.name, text]));
  const template = await textOf(page);
  const actions = [...template.matchAll(ACTION)];
  const names = new Set(actions.flatMap(([, quoted, raw]) => quoted ?? raw ?? []));
  const missing = [...names].filter((name) => !texts.has(name));
  if (missing.length > 0)
    throw refusal(`Markdown file(s) not found: ${missing.map((name) => `'${name}'`).join(", ")}.`);
  const other = actions.find(([whole, quoted, raw]) => (quoted ?? raw) === undefined && !COMMENT.test(whole));
  if (other) throw refusal(`The template can only use toHTML, not ${other[0].slice(0, SHOWN_LENGTH)}.`);
  const filled = new Map<string, string>();
  for (const name of names) filled.set(name, markdownPage(await textOf(texts.get(name)!), IMAGES, false).html);
  const inserted = ({ 1: quoted, 2: raw }: RegExpMatchArray) => filled.get(quoted ?? raw ?? "") ?? "";
  const length = actions.reduce((sum, action) => sum + inserted(action).length, template.length);
  if (length > LIMITS.textLength) throw new EngineFailure("too-complex", `${length} characters`);
  const html = template.replace(ACTION, (...action) => inserted(action as unknown as RegExpMatchArray));
  yield { extension: "html", name: page.name, type: "text/html", body: new TextEncoder().encode(`\ufeff${html}`) };
  for (const file of others) {
    const { name, role = "" } = file;
    if (role === MARKDOWN) continue;
    yield { extension: extensionIn(name), name, role, type: "application/octet-stream", body: file.stream() };
  }
};

export const fillTemplate = defineOperation({ ...signature, run });

const refusal = (why: string) => new EngineFailure("unsupported", "a template", { why });

/** @throws EngineFailure `too-complex` for a text that is too long */
async function textOf(input: Input): Promise<string> {
  const text = decodeText(await input.bytes());
  if (text.length <= LIMITS.textLength) return text.replace(/^\ufeff/, "");
  throw new EngineFailure("too-complex", `${text.length} characters`);
}
