// Tests how a release is made of the files in changes/.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { contextPaths } from "../../scripts/release/artifacts.ts";
import { parseChange, planRelease } from "../../scripts/release/changes.ts";
import { readVersions, writeVersions } from "../../scripts/release/versions.ts";
import { root } from "../../scripts/services/wrangler.ts";

const DATE = "2026-12-31";
const change = (head: string, text = "A sentence.") => parseChange("a.md", `---\n${head}\n---\n${text}\n`);
const changelog = (text: string) => `# Changelog\n\n## Unreleased\n\n${text}`;
const RELEASED = "## Service 0.3.4, client 0.2.0 (2026-01-01)\n\n### Operation\n\n- Old.\n";

test("the first release has the versions of the packages, and what was written by hand", () => {
  const byHand = "### Conversions\n\n- One,\n  in two lines.\n\n- Two.\n\n### Operation\n\n- Three.\n";
  const added = change("service: major\nsection: Conversions", "Four.\n\nFive.");
  const {
    versions,
    title,
    changelog: text,
  } = planRelease(changelog(byHand), [added], { service: "0.1.0", client: "0.1.0" }, DATE);
  expect(versions).toEqual({ service: "0.1.0", client: "0.1.0" });
  expect(title).toBe("Service 0.1.0, client 0.1.0 (2026-12-31)");
  expect(text).toBe(changelog(`## ${title}\n\n${byHand.replace("Two.\n", "Two.\n- Four.\n- Five.\n")}`));
});

test("later releases grow by the largest change, and leave packages without changes alone", () => {
  const current = { service: "0.3.4", client: "0.2.0" };
  const plan = (...heads: string[]) =>
    planRelease(
      changelog(RELEASED),
      heads.map((head) => change(`${head}\nsection: Operation`)),
      current,
      DATE,
    );
  const minor = plan("service: patch", "service: minor", "service: patch");
  expect(minor.title).toBe("Service 0.4.0 (2026-12-31)");
  expect(minor.versions).toEqual({ service: "0.4.0", client: "0.2.0" });
  const item = "- A sentence.";
  expect(minor.notes).toBe(`### Operation\n\n${item}\n${item}\n${item}`);
  expect(minor.changelog).toBe(changelog(`## ${minor.title}\n\n${minor.notes}\n\n${RELEASED}`));
  expect(plan("service: major\nclient: patch").title).toBe("Service 1.0.0, client 0.2.1 (2026-12-31)");
  const last = plan();
  expect(last).toMatchObject({ released: ["service", "client"], versions: current, date: "2026-01-01" });
  expect(`## ${last.title}\n\n${last.notes}\n`).toBe(RELEASED);
  expect(last.changelog).toBe(changelog(RELEASED));
  expect(() => planRelease(changelog(`- By hand.\n\n${RELEASED}`), [], current, DATE)).toThrow("to changes/");
});

test("an item is as wide as the changelog", () => {
  const long = change("client: patch\nsection: Operation", "word ".repeat(60));
  const { notes } = planRelease(changelog(RELEASED), [long], { service: "1.0.0", client: "1.0.0" }, DATE);
  const [, , ...lines] = notes.split("\n");
  expect(lines.map((line) => line.length)).toEqual([116, 116, 71]);
  expect(lines.join(" ").replaceAll(/\s+/g, " ")).toBe(`- ${"word ".repeat(60)}`.trim());
});

test.each([
  ["no front matter", "does not start with front matter"],
  ["---\nservice: minor\n---\nText.", "section is one of: Conversions,"],
  ["---\nservice: minor\nsection: Others\n---\nText.", "section is one of: Conversions,"],
  ["---\nsection: Operation\n---\nText.", "names no package: service or client."],
  ["---\nserver: minor\nsection: Operation\n---\nText.", "The keys are service, client and section, not server."],
  ["---\nservice: huge\nsection: Operation\n---\nText.", "service is patch, minor, major, not huge."],
  ["---\nservice\nsection: Operation\n---\nText.", '"service" is not a key and a value.'],
  ["---\nservice: minor\nsection: Operation\n---\n\n", "has no sentence for the changelog."],
])("%j is rejected", (source, message) => {
  expect(() => parseChange("/x/changes/a.md", source)).toThrow(
    new RegExp(`^changes/a\\.md: .*${message.replaceAll(".", "\\.")}`),
  );
});

test("all files have the versions of the packages, and get new ones", () => {
  const folder = mkdtempSync(join(tmpdir(), "versions-"));
  const files = [
    ...["package.json", "package-lock.json", "src/service/settings/release.ts", "deploy/chart/Chart.yaml"],
    ...["docs/api.md", "client/package.json", "client/version.ts", "client/README.md"],
  ];
  try {
    for (const file of files) cpSync(join(root, file), join(folder, dirname(file), file.split("/").at(-1)!));
    // Nothing changes: each file has the version of its package already.
    expect(writeVersions(folder, readVersions(root))).toEqual([]);
    const next = { service: "98.76.54", client: "45.67.89" };
    expect([...writeVersions(folder, next, DATE)].sort()).toEqual(files.toSorted());
    expect(readVersions(folder)).toEqual(next);
    const count = (text: string) =>
      files.map((file) => readFileSync(join(folder, file), "utf8").split(text).length - 1);
    expect(count(next.service)).toEqual([1, 2, 1, 2, 1, 0, 0, 0]);
    expect(count(next.client)).toEqual([0, 0, 0, 0, 0, 1, 1, 1]);
    expect(count(DATE)).toEqual([0, 0, 1, 0, 1, 0, 0, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the context of an image is what its Dockerfile copies from there", () => {
  const lines = ["COPY --from=node /a /b", "COPY a b/c.json \\\n  d/", "COPY e/*.java e/f.xml e/", "RUN COPY x y"];
  expect(contextPaths(lines.join("\n"))).toEqual(["a", "b/c.json", "e", "e/f.xml"]);
});
