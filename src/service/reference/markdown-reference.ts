// Generates the reference as Markdown, and the overview for language models (https://llmstxt.org).
import { callOf } from "./calls.ts";
import { withoutSearched } from "./markdown.ts";
import { GUIDE_TITLES } from "./page.ts";
import { chaptersOf, type Deployment, fileName, GUIDES, guideAt, ofDeployment } from "./reference.ts";
import { REQUEST_LANGUAGES } from "./snippets/languages.ts";

/** Returns docs/api.md without the text before its first section. Adds examples to the sections of operations. */
export function referenceText(text: string, deployment: Deployment): string {
  const chapters = new Map(chaptersOf(text, deployment).map((chapter) => [chapter.title, chapter]));
  const { baseUrl, config } = deployment;
  const shown = withoutSearched(ofDeployment(text, deployment));
  const sections = shown.slice(shown.indexOf("\n## ") + 1).split(/^(?=#{2,3} )/m);
  const parts = sections.map((section) => {
    const title = /^#+ (.*)$/m.exec(section)?.[1] ?? "";
    const paths = chapters.get(title)?.paths ?? [];
    const calls = paths.flatMap((path) => path.operations.map((operation) => callOf(path, operation, baseUrl)));
    const [call] = calls.filter((one) => one !== undefined);
    if (!call) return section;
    const examples = REQUEST_LANGUAGES.map(
      ({ code, name, write }) => `${name}:\n\n\`\`\`${code}\n${write([call])}\n\`\`\`\n`,
    );
    return `${section.trimEnd()}\n\n${examples.join("\n")}\n`;
  });
  return `# Pagewright: API\n\nThe API of ${baseUrl}, ${config.variant} variant.\n\n${linked(parts.join(""), baseUrl)}`;
}

/** Returns a standalone page of docs/. */
export const guideText = (text: string, baseUrl: string): string => linked(text, baseUrl);

/** Redirects links to the Markdown version of served pages. Other links become text. */
function linked(markdown: string, baseUrl: string): string {
  return markdown.replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g,
    (_, words: string, page: string, hash = "") => {
      if (fileName(page) === "api.md") return `[${words}](${baseUrl}/docs.md${hash})`;
      const guide = guideAt(page);
      return guide === undefined ? words : `[${words}](${baseUrl}/docs/${guide}.md${hash})`;
    },
  );
}

/** Returns the overview for language models. */
export function overview(text: string, deployment: Deployment): string {
  const { baseUrl, config } = deployment;
  const operations = chaptersOf(text, deployment).flatMap(({ paths }) =>
    paths.flatMap(({ path, section, operations: all }) =>
      all.map(
        ({ method, summary }) => `- [${method.toUpperCase()} ${path}](${baseUrl}/docs.md#${section}): ${summary}`,
      ),
    ),
  );
  const key = config.variant === "keyed" ? " with the header `Api-Key`" : "";
  const guides = GUIDES.map((guide) => `- [${GUIDE_TITLES[guide]}](${baseUrl}/docs/${guide}.md)`);
  return `# Pagewright

> Document conversion and processing over HTTP: PDF, PDF/A, compression, merging, splitting, images of pages, archives.

A request is a \`POST\`${key} to ${baseUrl} with a multipart form: inputs as \`file\`, \`id\` or \`url\`, and \`output\`, the
name of the result. The answer is JSON with the id and URL of the result, or the file itself if the header \`Accept\`
prefers its media type. An error is \`{"error": "<sentence>"}\`.

## Reference

- [API](${baseUrl}/docs.md): every endpoint, parameter, limit and error, with examples
- [OpenAPI](${baseUrl}/openapi.json): the same for programs

## Requests

${operations.join("\n")}

## Optional

${guides.join("\n")}
`;
}
