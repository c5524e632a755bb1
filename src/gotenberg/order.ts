// Orders documents by their names, as Gotenberg does: by the number at the beginning or the end of a name.

interface Numbered {
  readonly number: number;
  readonly rest: string;
  readonly isFirst: boolean;
}

function numberIn(name: string): Numbered | undefined {
  const [, first, after = ""] = /^(\d+)(.*)$/s.exec(name) ?? [];
  if (first !== undefined) return { number: Number(first), rest: after, isFirst: true };
  const [, before = "", last, extension = ""] = /^(.*?)(\d+)(\.[^.]+)?$/s.exec(name) ?? [];
  return last === undefined ? undefined : { number: Number(last), rest: before + extension, isFirst: false };
}

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** Compares two file names. Names with a number precede those without. */
export function byName(one: string, other: string): number {
  const [a, b] = [numberIn(one), numberIn(other)];
  if (!a || !b) return a ? -1 : b ? 1 : byText(one, other);
  if (a.isFirst && b.isFirst) return a.number - b.number || byText(a.rest, b.rest);
  if (a.isFirst === b.isFirst) return byText(a.rest, b.rest) || a.number - b.number || byText(one, other);
  return byText(a.rest, b.rest) || (a.isFirst ? -1 : 1);
}
