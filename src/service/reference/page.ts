// Renders the page of the reference, and the pages of its guides. They work without scripts; a script adds a search.
import { html } from "hono/html";
import { htmlOf, type LinkTo, type Section, sectionsOf } from "./markdown.ts";
import { operationHtml } from "./operation-html.ts";
import {
  type Chapter,
  chaptersOf,
  type Deployment,
  fileName,
  GUIDES,
  type Guide,
  guideAt,
  ofDeployment,
} from "./reference.ts";

type Html = ReturnType<typeof html>;

/** Resolves links on the reference page, whose path is `docs`. Links to pages that are not served become text. */
const fromReference: LinkTo = (page, anchor) => link(page, anchor, { reference: "", guides: "docs/" });
/** Resolves links on a guide page, whose path is `docs/<name>`. */
const fromGuide: LinkTo = (page, anchor) => link(page, anchor, { reference: "../docs", guides: "" });

function link(page: string, anchor: string, prefix: { readonly reference: string; readonly guides: string }) {
  const hash = anchor === "" ? "" : `#${anchor}`;
  if (fileName(page) === "api.md") return prefix.reference + hash;
  const name = guideAt(page);
  return name === undefined ? undefined : prefix.guides + name + hash;
}

/** Returns the reference page of a deployment. */
export function referencePage(text: string, deployment: Deployment): Html {
  const chapters = chaptersOf(ofDeployment(text, deployment), deployment);
  const ids = new Set(chapters.map(({ anchor }) => anchor));
  const body = chapters.map((chapter) => chapterHtml(chapter, deployment, ids));
  return shell({
    title: "Reference",
    root: "",
    nav: navigation(chapters),
    main: html`<h1>Reference</h1>
<p class="lead">The API of <code>${deployment.baseUrl}</code>, ${deployment.config.variant} variant.
As text: <a href="docs.md">docs.md</a>, <a href="llms.txt">llms.txt</a>; for programs:
<a href="openapi.json">openapi.json</a>.</p>
${body}`,
  });
}

/** Returns a standalone page of docs/. */
export function guidePage(text: string, name: Guide): Html {
  const sections = sectionsOf(text);
  const items = sections.filter(({ level }) => level > 1).map(({ anchor, title }) => [`#${anchor}`, title] as const);
  const main = sections.map((section) => html`${heading(section)}\n${htmlOf(section.tokens, fromGuide)}`);
  return shell({
    title: sections[0]?.title ?? name,
    root: "../",
    nav: html`<ul><li><a href="../docs">Reference</a></li>${items.map(navigationItem)}</ul>`,
    main: html`${main}`,
  });
}

function chapterHtml(chapter: Chapter, { baseUrl }: Deployment, ids: Set<string>): Html {
  const { tokens, paths, isElsewhere } = chapter;
  return html`${heading(chapter)}
${isElsewhere ? html`<p class="note">This deployment does not have it: it belongs to the keyed variant.</p>` : ""}
${htmlOf(tokens, fromReference)}
${paths.flatMap((path) => path.operations.map((operation) => operationHtml(path, operation, baseUrl, ids)))}`;
}

function heading({ level, anchor, title, searched }: Section): Html {
  const content = html`${title} <a class="anchor" href="#${anchor}" aria-label="Link to ${title}">#</a>`;
  if (level === 1) return html`<h1 id="${anchor}">${title}</h1>`;
  const also = searched === "" ? "" : html` data-searched="${searched}"`;
  return level === 2
    ? html`<h2 id="${anchor}"${also}>${content}</h2>`
    : html`<h3 id="${anchor}"${also}>${content}</h3>`;
}

/** Renders the table of contents. Chapters of level 2 are groups; chapters of level 3 are their items. */
function navigation(chapters: readonly Chapter[]): Html {
  const groups: { readonly title: string; readonly anchor: string; readonly items: (readonly [string, string])[] }[] =
    [];
  for (const { level, title, anchor } of chapters) {
    if (level === 2) groups.push({ title, anchor, items: [] });
    else if (level === 3) groups.at(-1)?.items.push([`#${anchor}`, title]);
  }
  return html`${groups.map(
    ({ title, anchor, items }) => html`<p><a href="#${anchor}">${title}</a></p>
<ul>${items.map(navigationItem)}</ul>
`,
  )}
<p>Guides</p>
<ul>${GUIDES.map((guide) => navigationItem([`docs/${guide}`, GUIDE_TITLES[guide]]))}</ul>`;
}

export const GUIDE_TITLES: Readonly<Record<Guide, string>> = {
  client: "Client",
  compression: "Compression",
  pdfa: "PDF/A",
  flattening: "Flattening",
  limits: "Limits",
};

const navigationItem = ([target, title]: readonly [string, string]): Html =>
  html`<li><a href="${target}">${title}</a></li>`;

/** @param root relative path from the page to the root of the service */
function shell({ title, root, nav, main }: { title: string; root: string; nav: Html; main: Html }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Pagewright</title>
<link rel="stylesheet" href="${root}docs/docs.css">
<script src="${root}docs/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${root}docs">Pagewright</a>
<a href="${root || "./"}">Try it</a>
<div id="search-box" role="search" hidden>
<input type="search" id="query" placeholder="Search" aria-label="Search the reference" autocomplete="off"
 spellcheck="false" aria-controls="results">
<div id="results" hidden><p id="count" role="status"></p><ol></ol></div>
</div>
</header>
<div class="columns">
<details class="contents" open><summary>Contents</summary><nav aria-label="Contents">${nav}</nav></details>
<main id="content" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;
}
