// Reads changes/, one file per change, and makes a release of them: the next versions, and its section of CHANGELOG.md.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The service's version is also that of its image and its chart. */
export const PACKAGES = ["service", "client"] as const;
export type Package = (typeof PACKAGES)[number];
export type Versions = Readonly<Record<Package, string>>;

/** From the smallest to the largest. */
const BUMPS = ["patch", "minor", "major"] as const;
type Bump = (typeof BUMPS)[number];

const SECTIONS = [
  ...["Conversions", "Requests and responses", "In the browser"],
  ...["Speed and reliability", "Operation", "Documentation"],
];
const WIDTH = 120;

export interface Change {
  readonly bumps: Readonly<Partial<Record<Package, Bump>>>;
  readonly section: string;
  /** Sentences, each paragraph an item of the changelog. */
  readonly text: string;
}

export interface Release {
  /** Versions of all packages, also of those that the release leaves as they are. */
  readonly versions: Versions;
  readonly released: readonly Package[];
  /** As in 2026-12-31. */
  readonly date: string;
  /** Title of the section, for example `Service 0.2.0, client 0.2.0 (2026-12-01)`. */
  readonly title: string;
  /** The section without its title. */
  readonly notes: string;
  /** The new text of CHANGELOG.md. */
  readonly changelog: string;
}

/** @param folder is missing after a release, because Git keeps no empty folders */
export function readChanges(folder: string): readonly Change[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".md")) : [];
  return names.toSorted().map((name) => parseChange(join(folder, name), readFileSync(join(folder, name), "utf8")));
}

/** @param file for error messages @throws Error with a sentence for the author of the change */
export function parseChange(file: string, source: string): Change {
  const refuse = (sentence: string): never => {
    throw new Error(`changes/${basename(file)}: ${sentence}`);
  };
  const [, head, text] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? refuse("It does not start with front matter.");
  const bumps: Partial<Record<Package, Bump>> = {};
  let section: string | undefined;
  for (const line of head!.split("\n")) {
    const [, key, value] = /^(\w+): (.+)$/.exec(line) ?? refuse(`"${line}" is not a key and a value.`);
    const subject = PACKAGES.find((one) => one === key);
    if (key === "section") section = SECTIONS.find((one) => one === value);
    else if (!subject) refuse(`The keys are ${PACKAGES.join(", ")} and section, not ${key}.`);
    else bumps[subject] = BUMPS.find((one) => one === value) ?? refuse(`${key} is ${BUMPS.join(", ")}, not ${value}.`);
  }
  if (Object.keys(bumps).length === 0) refuse(`It names no package: ${PACKAGES.join(" or ")}.`);
  if (text!.trim() === "") refuse("It has no sentence for the changelog.");
  return { bumps, section: section ?? refuse(`section is one of: ${SECTIONS.join(", ")}.`), text: text!.trim() };
}

/**
 * Plans the next release; without changes, returns the last one. The first release has the versions that the packages
 * have already, and contains the entries that were written below "Unreleased" by hand.
 * @param date as in 2026-12-31
 * @throws Error if later entries are below "Unreleased", which do not tell how the versions grow
 */
export function planRelease(changelog: string, changes: readonly Change[], current: Versions, date: string): Release {
  const { unreleased, releases } = splitChangelog(changelog);
  const isFirst = releases === "";
  if (!isFirst && unreleased !== "") throw new Error('CHANGELOG.md: Move the entries below "Unreleased" to changes/.');
  if (!isFirst && changes.length === 0) return { ...lastRelease(releases), versions: current, changelog };
  const grown = PACKAGES.map((name) => [
    name,
    next(current[name], isFirst ? [] : changes.map((one) => one.bumps[name])),
  ]);
  const versions = Object.fromEntries(grown) as Versions;
  const released = PACKAGES.filter((name) => isFirst || versions[name] !== current[name]);
  const names = released.map((name) => `${name} ${versions[name]}`).join(", ");
  const title = `${names[0]!.toUpperCase()}${names.slice(1)} (${date})`;
  const notes = withChanges(unreleased, changes);
  const all = ["# Changelog", "## Unreleased", `## ${title}`, notes, ...(isFirst ? [] : [releases])];
  return { versions, released, date, title, notes, changelog: `${all.join("\n\n")}\n` };
}

function splitChangelog(changelog: string): { readonly unreleased: string; readonly releases: string } {
  const [, unreleased, releases = ""] = /^# Changelog\n\n## Unreleased\n(.*?)(?:\n(## .*))?$/s.exec(changelog) ?? [];
  if (unreleased === undefined) throw new Error('CHANGELOG.md does not start with "Unreleased".');
  return { unreleased: unreleased.trim(), releases: releases.trim() };
}

function lastRelease(releases: string): Pick<Release, "released" | "date" | "title" | "notes"> {
  const [, title, notes] = /^## ([^\n]+)\n(.*?)(?=\n## |$)/s.exec(releases)!;
  const date = title!.slice(-11, -1);
  return {
    date,
    released: PACKAGES.filter((name) => title!.toLowerCase().includes(`${name} `)),
    title: title!,
    notes: notes!.trim(),
  };
}

function next(version: string, bumps: readonly (Bump | undefined)[]): string {
  const largest = Math.max(...bumps.map((bump) => (bump === undefined ? -1 : BUMPS.indexOf(bump))), -1);
  const [major, minor, patch] = version.split(".").map(Number) as [number, number, number];
  return [version, `${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`][largest + 1]!;
}

/** Adds the changes at the ends of their sections. */
function withChanges(unreleased: string, changes: readonly Change[]): string {
  const byHand = unreleased.split(/^### /m).map((text) => [text.split("\n", 1)[0]!, text] as const);
  const foreign = byHand.find(([name]) => name !== "" && !SECTIONS.includes(name));
  if (foreign) throw new Error(`CHANGELOG.md: "${foreign[0]}" is none of the sections: ${SECTIONS.join(", ")}.`);
  return SECTIONS.flatMap((section) => {
    const written = byHand
      .find(([name]) => name === section)?.[1]
      .slice(section.length)
      .trim();
    const added = changes.filter((change) => change.section === section).flatMap(({ text }) => text.split(/\n{2,}/));
    const items = [...(written ? [written] : []), ...added.map(item)];
    return items.length === 0 ? [] : [`### ${section}\n\n${items.join("\n")}`];
  }).join("\n\n");
}

/** Returns an item of a list, wrapped at the width of the changelog. */
function item(paragraph: string): string {
  const lines = [""];
  for (const word of paragraph.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length + 3 > WIDTH) lines.push(word);
    else lines.push(`${lines.pop()}${line === "" ? "" : " "}${word}`);
  }
  return `- ${lines.join("\n  ")}`;
}
