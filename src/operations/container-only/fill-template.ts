// Inserts Markdown texts into an HTML page. Images of the texts keep their addresses: the page loads them like its own.

import { EngineFailure } from "../../document/contract/failure.ts";
import { extensionIn } from "../../document/contract/file-name.ts";
import { LIMITS } from "../../document/contract/limits.ts";
import { defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { decodeText } from "../../document/formats/text/decode.ts";
import { markdownPage } from "../../document/texts/markdown-page.ts";
import { MARKDOWN, fillTemplate as signature } from "../to-pdf/fill-template.ts";

const ACTION = /\{\{-?\s*(?:toHTML\s+(?:"([^"\n]*)"|`([^`\n]*)`)|\/\*[\s\S]*?\*\/)\s*-?\}\}|\{\{[^}]*\}?\}?/g;
const IMAGES = {
  image: (source: string, alt: string | undefined) => ({ source, ...(alt === undefined ? {} : { alt }) }),
};

/** @throws EngineFailure `unsupported` for a text that is missing, or another action of the template; `too-complex` */
const run: Run<Record<string, never>> = async function* ([page, ...others]) {
  if (!page || page.size === 0) throw new EngineFailure("unsupported", "an empty file");
  const texts = others.filter(({ role }) => role === MARKDOWN);
  const actions = [...(await textOf(page)).matchAll(ACTION)];
  const names = actions.map(([, quoted, raw]) => quoted ?? raw);
  const missing = names.filter((name) => name !== undefined && !texts.some((text) => text.name === name));
  if (missing.length > 0)
    throw refusal(`Markdown file(s) not found: ${missing.map((name) => `'${name}'`).join(", ")}.`);
  const other = actions.find(([whole], index) => names[index] === undefined && !/^\{\{-?\s*\/\*/.test(whole));
  if (other) throw refusal(`The template can only use toHTML, not ${other[0]}.`);
  const filled = new Map<string, string>();
  for (const text of texts) {
    if (names.includes(text.name)) filled.set(text.name, markdownPage(await textOf(text), IMAGES, false).html);
  }
  const html = (await textOf(page)).replace(
    ACTION,
    (_, quoted?: string, raw?: string) => filled.get(quoted ?? raw ?? "") ?? "",
  );
  yield { extension: "html", name: page.name, type: "text/html", body: new TextEncoder().encode(`\ufeff${html}`) };
  for (const { name, role = "", stream } of others.filter(({ role }) => role !== MARKDOWN)) {
    yield { extension: extensionIn(name), name, role, type: "application/octet-stream", body: stream() };
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
