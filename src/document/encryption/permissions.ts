// Permissions of users who open a document without the permissions password (ISO 32000-2, table 22).

/** What a document can forbid. */
export const RESTRICTIONS = [
  "print_low",
  "print_high",
  "edit_document_assembly",
  "edit_fill_and_sign_form_fields",
  "edit_annotations",
  "edit_content",
  "copy_content",
  "accessibility_off",
] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/** Positions of the bits, counted from 1, that a restriction clears. */
const BITS: Readonly<Record<Restriction, readonly number[]>> = {
  print_low: [3, 12],
  print_high: [12],
  edit_document_assembly: [11],
  edit_fill_and_sign_form_fields: [9],
  edit_annotations: [6],
  edit_content: [4],
  copy_content: [5],
  accessibility_off: [10],
};
/** All permissions. The two lowest bits are reserved and 0; all other reserved bits are 1. */
export const EVERYTHING = -4;
/** The bits with a meaning in revision 2 of the security handler, and the further bits of later revisions. */
const EARLY_BITS = [3, 4, 5, 6];
const LATER_BITS = [9, 10, 11, 12];

/** Returns the value of the entry `P`, a signed integer of 32 bits. */
export const permissionsWithout = (restrictions: readonly Restriction[]): number =>
  restrictions.flatMap((restriction) => BITS[restriction]).reduce(withoutBit, EVERYTHING);

/** Reports whether the entry `P` forbids anything. */
export const restrictsAnything = (permissions: number, revision: number): boolean =>
  [...EARLY_BITS, ...(revision < 3 ? [] : LATER_BITS)].some(
    (bit) => withoutBit(permissions, bit) === (permissions | 0),
  );

/** Returns the permissions in the meaning of revision 6, whose later bits revision 2 implies (ISO 32000-1, table 22). */
export function inLastRevision(permissions: number, revision: number): number {
  if (revision >= 3) return (permissions & -4) | 0xff_ff_f0_c0;
  const allows = (bit: number) => (permissions & (1 << (bit - 1))) !== 0;
  const forbidden: Restriction[] = [];
  if (!allows(3)) forbidden.push("print_low");
  if (!allows(4)) forbidden.push("edit_content", "edit_document_assembly");
  if (!allows(5)) forbidden.push("copy_content", "accessibility_off");
  if (!allows(6)) forbidden.push("edit_annotations", "edit_fill_and_sign_form_fields");
  return permissionsWithout(forbidden);
}

const withoutBit = (permissions: number, bit: number): number => permissions & ~(1 << (bit - 1));
