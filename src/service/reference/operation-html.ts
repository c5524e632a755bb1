// Renders the reference of one operation: parameters, examples, responses and errors.
import { html } from "hono/html";
import type { OperationDescription, PathDescription, ResponseDescription } from "../http/contract/description.ts";
import { errorAnchor, parameterAnchor } from "../http/responses/help.ts";
import { callOf } from "./calls.ts";
import { phraseHtml } from "./markdown.ts";
import { type Parameter, parametersOf } from "./reference.ts";
import { REQUEST_LANGUAGES } from "./snippets/languages.ts";

type Html = ReturnType<typeof html>;

/** @param ids anchors that the page already contains; this function adds its own */
export function operationHtml(
  path: PathDescription,
  operation: OperationDescription,
  baseUrl: string,
  ids: Set<string>,
): Html {
  const { method, summary, responses, errors } = operation;
  const call = callOf(path, operation, baseUrl);
  const parameters = parametersOf(path, operation);
  return html`<section class="operation" aria-label="${method.toUpperCase()} ${path.path}">
<p class="request"><code><b>${method.toUpperCase()}</b> ${path.path}</code> ${summary}</p>
${parameters.length > 0 ? parametersHtml(path.path, parameters, ids) : ""}
${
  call
    ? examplesHtml(
        path.path,
        REQUEST_LANGUAGES.map(({ name, write }) => [name, write([call])]),
      )
    : ""
}
<h4>Answers</h4>
<dl class="answers">
${Object.entries(responses).map(([status, response]) => responseHtml(status, response))}
</dl>
<details class="errors"><summary>Errors (${errors.length})</summary>
<ul>
${[...errors]
  .toSorted((a, b) => a.status - b.status)
  .map(
    ({ status, message, template }) => html`<li><a href="#${errorAnchor(template)}">${status}</a> ${message}</li>\n`,
  )}
</ul>
</details>
</section>
`;
}

function parametersHtml(path: string, parameters: readonly Parameter[], ids: Set<string>): Html {
  const rows = parameters.map(({ name, location, required, fallback, values, description }) => {
    const anchor = parameterAnchor(path, name);
    const isNew = !ids.has(anchor);
    ids.add(anchor);
    const link = html`<a href="#${anchor}"><code>${name}</code></a>`;
    const first = html`<th scope="row">${link}${location === "field" ? "" : html` <small>${location}</small>`}</th>`;
    const shown = values.map((value) => html`<code>${value}</code> `);
    const cells = html`<td>${phraseHtml(required)}${fallback === undefined ? "" : html`default <code>${fallback}</code>`}</td>
<td>${phraseHtml(description)} <span class="values">${shown}</span></td>`;
    return isNew ? html`<tr id="${anchor}">${first}${cells}</tr>\n` : html`<tr>${first}${cells}</tr>\n`;
  });
  return html`<h4>Parameters</h4>
<div class="table" tabindex="0"><table class="parameters">
<thead><tr><th scope="col">Name</th><th scope="col">Required</th><th scope="col">Meaning and values</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`;
}

function examplesHtml(path: string, examples: readonly (readonly [string, string])[]): Html {
  // Opening a `details` element closes other elements with the same name.
  return html`<h4>Examples</h4>
${examples.map(
  ([language, text], at) => html`<details class="example" name="example-${path}"${at === 0 ? html` open` : ""}>
<summary>${language}</summary>
<pre tabindex="0"><code>${text}</code></pre>
</details>
`,
)}`;
}

function responseHtml(status: string, { description, headers = {}, content = {} }: ResponseDescription): Html {
  const names = Object.keys(headers);
  const types = Object.keys(content);
  const example = content["application/json"]?.example;
  return html`<dt>${status}</dt>
<dd><p>${phraseHtml(description)}${types.length > 0 ? html` ${codes(types)}` : ""}</p>
${names.length > 0 ? html`<p>Headers: ${codes(names)}</p>` : ""}
${example === undefined ? "" : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}</dd>
`;
}

const codes = (words: readonly string[]): Html =>
  html`<span class="values">${words.map((word) => html`<code>${word}</code> `)}</span>`;
