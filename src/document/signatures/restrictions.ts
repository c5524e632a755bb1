// Reads what the signatures of a document forbid: the level of its certification (DocMDP), and the fields that they lock
// (FieldMDP; ISO 32000-2, 12.8.2).
import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import { Dictionary, Name, type Reference, type Value } from "../objects/values.ts";
import type { FieldTree } from "../pages/parts/forms/field-tree.ts";

/** What may change after a certification. 1: nothing. 2: forms and signatures. 3: annotations, too. */
export type CertificationLevel = 1 | 2 | 3;

/** The fields that a signature locks. */
export interface FieldLock {
  readonly action: "all" | "include" | "exclude";
  /** Fully qualified names. */
  readonly fields: readonly string[];
}

export interface Restrictions {
  readonly isSigned: boolean;
  /** The strictest level. @default the document is not certified */
  readonly level?: CertificationLevel;
  readonly locks: readonly FieldLock[];
}

/** The level if a certification does not state it (table 257). */
const DEFAULT_LEVEL = 2;
const ACTIONS: Readonly<Record<string, FieldLock["action"]>> = { All: "all", Include: "include", Exclude: "exclude" };

/** @param tree the fields, if the document has any */
export function restrictionsOf(file: PdfFile, tree: FieldTree | undefined): Restrictions {
  const certification = file.dictionary(file.dictionary(file.catalog.get("Perms"))?.get("DocMDP"));
  const signatures = new Set(certification ? [certification] : []);
  for (const { type, reference } of tree?.nodes ?? []) {
    const signature = type === "Sig" ? file.dictionary(file.dictionary(reference)?.get("V")) : undefined;
    if (signature && file.array(signature.get("ByteRange"))) signatures.add(signature);
  }
  const levels: CertificationLevel[] = [];
  const locks: FieldLock[] = [];
  for (const signature of signatures) {
    const { level, lock } = restrictionsIn(file, signature);
    if (level) levels.push(level);
    if (lock) locks.push(lock);
  }
  const [level] = levels.toSorted();
  return { isSigned: signatures.size > 0, ...(level ? { level } : {}), locks };
}

/** Returns what a signature forbids. */
export function restrictionsIn(file: PdfFile, signature: Dictionary) {
  let level: CertificationLevel | undefined;
  let lock: FieldLock | undefined;
  for (const value of file.array(signature.get("Reference")) ?? []) {
    const reference = file.dictionary(value);
    const method = file.name(reference?.get("TransformMethod"));
    const parameters = file.dictionary(reference?.get("TransformParams")) ?? new Dictionary();
    if (method === "DocMDP") level = levelIn(file, parameters) ?? DEFAULT_LEVEL;
    if (method === "FieldMDP") lock = lockIn(file, parameters);
  }
  return { level, lock };
}

const levelIn = (file: PdfFile, parameters: Dictionary): CertificationLevel | undefined => {
  const level = file.number(parameters.get("P"));
  return level === 1 || level === 2 || level === 3 ? level : undefined;
};

function lockIn(file: PdfFile, parameters: Dictionary): FieldLock {
  const action = ACTIONS[file.name(parameters.get("Action")) ?? ""] ?? "all";
  const fields = (file.array(parameters.get("Fields")) ?? []).flatMap((value) => {
    const name = file.string(value);
    return name ? [decodeTextString(name)] : [];
  });
  return { action, fields };
}

/** Reports whether a lock forbids changes of a field. A name stands for all fields below it, too. */
export function isLocked({ action, fields }: FieldLock, name: string): boolean {
  const isNamed = fields.some((field) => name === field || name.startsWith(`${field}.`));
  return action === "all" || isNamed === (action === "include");
}

/** Returns the lock dictionary of a field (table 236), which also are the parameters of a transform. */
export function lockEntries(lock: FieldLock, encode: (name: string) => Value): Dictionary {
  const action = Object.keys(ACTIONS).find((name) => ACTIONS[name] === lock.action)!;
  return Dictionary.of({
    Action: Name.of(action),
    ...(lock.action === "all" ? {} : { Fields: lock.fields.map(encode) }),
  });
}

/**
 * Returns the references of a signature (table 256), which make the restrictions.
 * @param lock the lock dictionary of the field
 */
export function referencesOf(
  file: PdfFile,
  { level, lock }: { readonly level?: CertificationLevel | undefined; readonly lock?: Dictionary | undefined },
): Value[] {
  const root = file.trailer.get("Root") as Reference;
  const reference = (method: string, parameters: Dictionary) =>
    Dictionary.of({
      ...{ Type: Name.of("SigRef"), TransformMethod: Name.of(method), Data: root },
      TransformParams: parameters.set("Type", Name.of("TransformParams")).set("V", Name.of("1.2")),
    });
  const ownLevel = level ?? (lock && levelIn(file, lock));
  const parameters = lock && Dictionary.of({ Action: lock.get("Action"), Fields: lock.get("Fields") });
  return [
    ...(ownLevel ? [reference("DocMDP", Dictionary.of({ P: ownLevel }))] : []),
    ...(parameters ? [reference("FieldMDP", parameters)] : []),
  ];
}
