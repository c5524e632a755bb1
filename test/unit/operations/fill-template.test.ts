// Tests the templates with Markdown texts.
import { expect, test } from "vitest";
import { memoryInput } from "../../../src/document/contract/operation.ts";
import { fillTemplate } from "../../../src/operations/container-only/fill-template.ts";
import { MARKDOWN } from "../../../src/operations/to-pdf/fill-template.ts";
import { ASSET } from "../../../src/operations/to-pdf/html-to-pdf.ts";
import { bytesOf, CONTEXT } from "../../support/operations.ts";

const inputOf = (text: string, name: string, role?: string) => memoryInput(Buffer.from(text), name, role);

/** @returns names, roles and contents of the outputs */
async function filled(page: string) {
  const outputs: (string | undefined)[][] = [];
  const inputs = [
    ...[inputOf(page, "index.html"), inputOf("# Title\n\n![](logo.png)<script>x</script>", "a.md", MARKDOWN)],
    ...[inputOf("*B* $& $1", "b.md", MARKDOWN), inputOf("png", "logo.png", ASSET)],
  ];
  for await (const output of fillTemplate.run(inputs, {}, CONTEXT)) {
    outputs.push([output.name, output.role, Buffer.from(await bytesOf(output)).toString()]);
  }
  return outputs;
}

test("texts are inserted without scripts; other files stay", async () => {
  const page = '<body>{{ toHTML "a.md" }}{{- toHTML `b.md` -}}{{/* {{ not }} read */}}{{ toHTML "b.md" }}</body>';
  const [[name, role, html], ...others] = (await filled(page)) as [(string | undefined)[]];
  expect([name, role]).toEqual(["index.html", undefined]);
  expect(html).toMatch(
    /^\ufeff<body><h1 id="title">Title<\/h1>\s*<p><img src="logo.png"( alt="")?><\/p>\s*<p><em>B<\/em> \$&amp; \$1<\/p>/,
  );
  expect(html!.match(/<em>B/g)).toHaveLength(2);
  expect(html).not.toMatch(/script|\{\{/);
  expect(others).toEqual([["logo.png", ASSET, "png"]]);
});

test("a missing text, and another action, are refused", async () => {
  await expect(filled('{{ toHTML "c.md" }}')).rejects.toMatchObject({ why: "Markdown file(s) not found: 'c.md'." });
  await expect(filled("{{ .Name }}")).rejects.toMatchObject({
    why: "The template can only use toHTML, not {{ .Name }}.",
  });
});
