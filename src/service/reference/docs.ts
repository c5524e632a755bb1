// Serves the reference as a page, as Markdown, and as an overview for language models.
import { api, client, compression, flattening, layout, limits, pdfa, prose, script } from "#texts";
import type { Describe, MediaTypeObject } from "../http/contract/description.ts";
import { noSuchEndpoint } from "../http/contract/errors.ts";
import { basedText } from "./based-texts.ts";
import { guideText, overview, referenceText } from "./markdown-reference.ts";
import { guidePage, referencePage } from "./page.ts";
import { type Deployment, GUIDES, type Guide } from "./reference.ts";

const GUIDE_TEXTS: Readonly<Record<Guide, string>> = { client, compression, flattening, limits, pdfa };

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

interface Page {
  readonly type: string;
  write(deployment: Deployment): string;
}

const PAGES: Readonly<Record<string, Page>> = {
  "/docs": { type: HTML, write: (deployment) => String(referencePage(api, deployment)) },
  "/docs.md": { type: MARKDOWN, write: (deployment) => referenceText(api, deployment) },
  "/llms.txt": { type: "text/plain; charset=utf-8", write: (deployment) => overview(api, deployment) },
  "/docs/docs.css": { type: "text/css; charset=utf-8", write: () => layout + prose },
  "/docs/search.js": { type: "text/javascript; charset=utf-8", write: () => script },
  ...Object.fromEntries(
    GUIDES.flatMap((guide): [string, Page][] => [
      [`/docs/${guide}`, { type: HTML, write: () => String(guidePage(GUIDE_TEXTS[guide], guide)) }],
      [`/docs/${guide}.md`, { type: MARKDOWN, write: ({ baseUrl }) => guideText(GUIDE_TEXTS[guide], baseUrl) }],
    ]),
  ),
};

export const DOCS_PATHS: readonly string[] = Object.keys(PAGES);

const text = (type: string): Readonly<Record<string, MediaTypeObject>> => ({ [type]: { schema: { type: "string" } } });

const describePage =
  (path: string, id: string, summary: string, content: Readonly<Record<string, MediaTypeObject>>): Describe =>
  () => ({
    path,
    section: "reference",
    ...(path.includes("{page}")
      ? { placeholders: { page: { description: "Name of a guide.", example: GUIDES[0] } } }
      : {}),
    operations: [
      {
        ...{ method: "get", id, tag: "Service", summary, errors: path.includes("{") ? [noSuchEndpoint()] : [] },
        responses: { 200: { description: "The text.", content }, 304: { description: "It has not changed." } },
      },
    ],
  });

/** Descriptions of the paths that this file serves. */
export const docsDescriptions: readonly Describe[] = [
  describePage("/docs", "docs", "Returns the reference as a page.", text("text/html")),
  describePage("/docs.md", "docs-text", "Returns the reference as Markdown.", text("text/markdown")),
  describePage("/llms.txt", "llms", "Returns an overview for language models.", text("text/plain")),
  describePage("/docs/{page}", "docs-guide", "Returns a guide, as Markdown if its name ends with .md.", {
    ...{ ...text("text/html"), ...text("text/markdown") },
    ...{ ...text("text/css"), ...text("text/javascript") },
  }),
];

/** Allows only the scripts and styles of this service, and forbids framing. */
const PAGE_HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** @param path one of {@link DOCS_PATHS} */
export function readDocs(path: string, deployment: Deployment): Response {
  const page = PAGES[path]!;
  const headers = {
    "Content-Type": page.type,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    ...(page.type === HTML ? PAGE_HEADERS : {}),
  };
  const write = (baseUrl: string) => page.write({ ...deployment, baseUrl });
  return new Response(basedText(path, deployment, write), { headers });
}
