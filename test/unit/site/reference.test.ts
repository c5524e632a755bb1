// Tests the reference that is generated from docs/api.md for a deployment: URLs, keys, and search terms.
// Contract: docs/api.md#reference, #first-request, #client, #keys
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiDescription } from "../../../src/app/api-description.ts";
import { sectionsOf, withoutSearched } from "../../../src/service/reference/markdown.ts";
import { referenceText } from "../../../src/service/reference/markdown-reference.ts";
import { referencePage } from "../../../src/service/reference/page.ts";
import { ofDeployment } from "../../../src/service/reference/reference.ts";
import { readConfig } from "../../../src/service/settings/config.ts";

const api = readFileSync(join(import.meta.dirname, "../../../docs/api.md"), "utf8");
const deploymentOf = (variant: string) => ({
  served: apiDescription,
  config: readConfig({ VARIANT: variant } as Parameters<typeof readConfig>[0]),
  baseUrl: "https://pdf.example.com",
});
const WITH_KEY = 'curl -H "Api-Key: $API_KEY" ';

describe.each(["private", "keyed"])("the reference of the %s variant", (variant) => {
  const deployment = deploymentOf(variant);
  const isKeyed = variant === "keyed";

  test("begins with a request to the service itself, with the key where there are keys", () => {
    for (const text of [
      referenceText(api, deployment),
      String(referencePage(api, deployment)).replaceAll("&#34;", '"'),
    ]) {
      const [, first] = /(curl .*)/.exec(text)!;
      const start = isKeyed ? WITH_KEY : "curl ";
      expect(first).toContain(`${start}-F file=@letter.docx -F output=letter https://pdf.example.com/pdf`);
      expect(text.indexOf("First request")).toBeLessThan(text.indexOf("Variants"));
      expect(text).not.toMatch(/localhost:8787|\$BASE|<!-- search|```sh key/);
    }
  });

  test("gives the key to every command that needs it, and to no other", () => {
    const text = ofDeployment(api, deployment);
    expect(text.split(WITH_KEY).length > 6).toBe(isKeyed);
    expect(text).toContain("\ncurl -o letter.pdf ");
    expect(text).toContain("\ncurl -T report.pdf ");
    expect(text.includes(`UPLOAD=$(${WITH_KEY}-sS -X POST`)).toBe(isKeyed);
  });
});

test("words for the search belong to their heading, and are not shown", () => {
  const sections = sectionsOf(
    "## Limits\n\n<!-- search: big, size limit -->\n\nText.\n\n<!-- another -->\n\n### Other\n\nMore.\n",
  );
  expect(sections.map(({ title, searched }) => [title, searched])).toEqual([
    ["Limits", "big, size limit"],
    ["Other", ""],
  ]);
  expect(withoutSearched("## Limits\n\n<!-- search: big -->\n\nText.\n")).toBe("## Limits\n\nText.\n");
  expect(sectionsOf(api).filter(({ level, searched }) => level > 1 && searched !== "").length).toBeGreaterThan(35);
});
