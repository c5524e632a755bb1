// Notices about content that a document lost. Operations report them, and frames transmit them.
// src/service/http/responses/notices.ts contains their messages.

/** Codes, in the order in which a response lists them. */
export const NOTICE_CODES = [
  "signatures-removed",
  "usage-rights-removed",
  "protection-removed",
  "xfa-removed",
  "attachments-removed",
  "scripts-removed",
  "actions-removed",
  "multimedia-removed",
  "fields-drawn",
  "annotations-drawn",
  "transfers-applied",
  "transfers-removed",
  "chunks-left-out",
  "links-left-out",
  "fonts-substituted",
  "pages-pictured",
  "claims-removed",
  "claims-suspended",
  "properties-removed",
  "damaged-content-kept",
  "characters-missing",
  "values-without-field",
  "values-not-offered",
  "calculations-not-run",
  "xfa-not-drawn",
  "glyphs-missing",
  "cells-cut",
  "marked-annotations-removed",
  "nothing-marked",
  "only-areas-redacted",
  "patterns-kept",
  "no-matches",
  "matches-elsewhere",
  "matches-kept",
  "text-unreadable",
  "pixels-unread",
  "undecodable-removed",
  "opacity-left-out",
  "images-unreadable",
  "pages-not-recognized",
  "no-tables",
  "images-not-loaded",
  "alternative-texts-missing",
  "attachments-not-converted",
  "frames-left-out",
  "settings-ignored",
  "columns-cut",
  "no-text",
  "pages-recognized",
] as const;
export type NoticeCode = (typeof NOTICE_CODES)[number];

export interface Notice {
  readonly code: NoticeCode;
  /** Number of lost items of this kind. It can exceed the number of subjects. */
  readonly count: number;
  /** Names of attachments, fonts, standards or properties; page numbers. */
  readonly subjects?: readonly NoticeSubject[];
}

export interface NoticeSubject {
  readonly name: string;
  readonly replacedBy?: string;
}

const MAX_SUBJECTS = 50;
const MAX_NAME_LENGTH = 80;
/** Matches control characters, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Returns a notice about named items. Limits length and number of names, because they come from the document; equal
 * names count once.
 * @returns an empty list if there are no subjects
 */
export function namedNotices(code: NoticeCode, subjects: Iterable<NoticeSubject>): readonly Notice[] {
  const known = new Map<string, NoticeSubject>();
  for (const subject of subjects) known.set(keyOf(subject), subject);
  if (known.size === 0) return [];
  return [{ code, count: known.size, subjects: [...known.values()].slice(0, MAX_SUBJECTS).map(safe) }];
}

/** @returns an empty list for a count of 0 */
export const countedNotices = (code: NoticeCode, count: number): readonly Notice[] =>
  count > 0 ? [{ code, count }] : [];

/** Merges notices with the same code, in the order of the codes. Equal subjects count once. */
export function mergeNotices(notices: readonly Notice[]): Notice[] {
  const byCode = Map.groupBy(notices, ({ code }) => code);
  return NOTICE_CODES.flatMap((code) => {
    const some = byCode.get(code) ?? [];
    const [first] = some;
    if (!first || some.length === 1) return some;
    const named = some.flatMap(({ subjects = [] }) => subjects);
    const distinct = new Map(named.map((subject) => [keyOf(subject), subject]));
    const total = some.reduce((sum, { count }) => sum + count, 0);
    const subjects = distinct.size > 0 ? { subjects: [...distinct.values()].slice(0, MAX_SUBJECTS) } : {};
    return [{ code, count: total - named.length + distinct.size, ...subjects }];
  });
}

/** Parses notices that another version of the service might have written. Ignores unknown codes and fields. */
export function readNotices(value: unknown): Notice[] {
  if (!Array.isArray(value)) return [];
  const notices = value.flatMap((item: unknown): Notice[] => {
    const { code, count, subjects } = (item ?? {}) as Partial<Notice>;
    const known = NOTICE_CODES.find((one) => one === code);
    if (!known || !Number.isSafeInteger(count) || count! < 1) return [];
    const named = (Array.isArray(subjects) ? subjects : []).filter((subject) => typeof subject?.name === "string");
    return [{ code: known, count: count!, ...(named.length > 0 ? { subjects: named.map(safe) } : {}) }];
  });
  return mergeNotices(notices);
}

const keyOf = ({ name, replacedBy = "" }: NoticeSubject): string => JSON.stringify([name, replacedBy]);

function safe({ name, replacedBy }: NoticeSubject): NoticeSubject {
  return { name: safeName(name), ...(typeof replacedBy === "string" ? { replacedBy: safeName(replacedBy) } : {}) };
}

function safeName(name: string): string {
  const characters = [
    ...name
      .slice(0, 4 * MAX_NAME_LENGTH)
      .toWellFormed()
      .replace(UNSAFE, ""),
  ];
  if (characters.length <= MAX_NAME_LENGTH) return characters.join("");
  return `${characters.slice(0, MAX_NAME_LENGTH - 1).join("")}…`;
}
