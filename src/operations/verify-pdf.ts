// Verifies the signatures of a PDF. Yields one output, an object in JSON. A document that fails is not an error.
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { type Context, defineOperation, type Input, type Run, yieldToOthers } from "../document/contract/operation.ts";
import type { JsonSchema, Params } from "../document/contract/parameter.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import { type ExaminedSignature, SignatureReader } from "../document/facts/signature-facts.ts";
import { lastSection } from "../document/objects/appendix.ts";
import { decodeTextString } from "../document/objects/text-strings.ts";
import type { Dictionary } from "../document/objects/values.ts";
import { type OpenPdf, openPdf } from "../document/pages/open-pdf.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { arePermitted, CHANGE_KINDS, type Change, changesAfter, textOf } from "../document/signatures/changes.ts";
import { restrictionsIn } from "../document/signatures/restrictions.ts";
import { type Certificate, distinguishedName } from "../document/signing/certificate.ts";
import { certificatesOf, chainOf } from "../document/signing/chain.ts";
import { type CmsSignature, isEqual, readCms } from "../document/signing/cms.ts";
import { InvalidAsn1 } from "../document/signing/der.ts";
import { timeStampIn } from "../document/signing/time-stamp.ts";
import { digestOf, isIntact } from "../document/signing/verify.ts";
import { currentOpenPassword } from "./protection/current-passwords.ts";

const parameters = { currentOpenPassword };
export type VerifyParams = Params<typeof parameters>;

const TEXT: JsonSchema = { type: "string" };
const MAYBE_TEXT: JsonSchema = { type: ["string", "null"] };
const MAYBE: JsonSchema = { type: ["boolean", "null"] };
const listOf = (items: JsonSchema): JsonSchema => ({ type: "array", items });
const object = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  ...{ type: "object", properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const CHANGE = object(
  { kind: { type: "string", enum: CHANGE_KINDS }, name: TEXT, page: { type: "integer", minimum: 1 } },
  ["name", "page"],
);
const STAMP = object({ time: MAYBE_TEXT, authority: TEXT, intact: MAYBE, trusted: MAYBE });
const LOCK = object({ action: { type: "string", enum: ["all", "include", "exclude"] }, fields: listOf(TEXT) });
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

/** Schemas of the members of the response. */
export const VERIFICATION_SCHEMAS: Readonly<Record<"signatures", JsonSchema>> = {
  signatures: listOf(
    object({
      ...{ field: TEXT, signer: TEXT, subject: MAYBE_TEXT, issuer: MAYBE_TEXT, subfilter: TEXT, time: MAYBE_TEXT },
      ...{ reason: MAYBE_TEXT, location: MAYBE_TEXT, contact: MAYBE_TEXT, time_stamp: orNull(STAMP) },
      ...{ valid: MAYBE, intact: MAYBE, trusted: MAYBE, chain: listOf(TEXT) },
      ...{ covers_file: { type: "boolean" }, covers_revision: { type: "boolean" } },
      ...{ certification_level: { type: ["integer", "null"] }, lock: orNull(LOCK) },
      ...{ changes: orNull(listOf(CHANGE)), changes_permitted: MAYBE },
    }),
  ),
};

/** Maximum number of revisions that are compared; of others, the changes are unknown. */
const MAX_REVISIONS = 20;
const EOF = /%%EOF\s*$/;
const TAIL_BYTES = 32;
const SPACE = 0x20;
const HALF = { engineShare: 1 / 2, objectShare: 1 / 2, asIs: true } as const;

/** @throws EngineFailure the failure of the document; OutOfRange for certificates that cannot be read */
const run: Run<VerifyParams> = async function* ([input, trustedFile], { currentOpenPassword: open }, context) {
  const trusted = trustedFile && (await trustedIn(trustedFile));
  const bytes = await input!.bytes();
  using pdf = await openPdf(bytes, context, { ...HALF, passwords: { open } });
  const verifier = new Verifier(pdf, context, { trusted, open });
  yield {
    ...{ extension: "json", type: "application/json" },
    body: new TextEncoder().encode(JSON.stringify({ signatures: await verifier.verifyAll() })),
  };
};

export const verifyPdf = defineOperation({ name: "verify-pdf", parameters, run });

async function trustedIn(file: Input): Promise<readonly Certificate[]> {
  try {
    return certificatesOf(await file.bytes());
  } catch (error) {
    if (!(error instanceof InvalidAsn1)) throw error;
    throw new OutOfRange("certificates_file", file.name, "It contains no readable certificates.");
  }
}

interface VerifierOptions {
  readonly trusted: readonly Certificate[] | undefined;
  readonly open: string | undefined;
}

class Verifier {
  readonly #pdf: OpenPdf;
  readonly #context: Context;
  readonly #options: VerifierOptions;
  readonly #document: SourceDocument;
  #revisions = 0;

  constructor(pdf: OpenPdf, context: Context, options: VerifierOptions) {
    this.#pdf = pdf;
    this.#context = context;
    this.#options = options;
    this.#document = new SourceDocument(pdf.file);
  }

  async verifyAll(): Promise<readonly object[]> {
    const { file, bytes } = this.#pdf;
    const reader = new SignatureReader(file, bytes);
    const signed = [...new DocumentFacts(this.#pdf, this.#context).signed()].map(([field, dictionary]) => ({
      ...{ dictionary, examined: reader.examine(field, dictionary), ...restrictionsIn(file, dictionary) },
    }));
    const answers: object[] = [];
    for (const one of signed) {
      // A later signature must not permit what an earlier one forbids, nor forbid itself.
      const known = signed.filter(({ examined: { end } }) => end <= one.examined.end);
      const locks = known.flatMap(({ lock }) => lock ?? []);
      const [level] = known.flatMap((other) => other.level ?? []).toSorted();
      const { changes, isSigned } = await this.#compare(one);
      const permitted = changes ? arePermitted(changes, level, locks) : null;
      answers.push(this.#answer(one, changes, permitted, isSigned));
      await yieldToOthers(this.#context.signal);
    }
    return answers;
  }

  #answer(
    { dictionary, examined, level, lock }: ReturnType<typeof restrictionsIn> & Examined,
    changes: readonly Change[] | null,
    permitted: boolean | null,
    isSigned: boolean,
  ): object {
    const { field, signer, date, subfilter, covers_file, valid: intact, cms, end } = examined;
    const stamp = cms?.timeStamp && this.#stampOf(cms, cms.timeStamp);
    const stamped = (stamp?.intact && stamp.trusted !== false && stamp.time) || undefined;
    const stampedAt = stamped ? Math.min(Date.parse(stamped), Date.now()) : Date.now();
    const chain = this.#chainOf(cms, stampedAt);
    const trusted = chain?.isTrusted ?? null;
    const covers = isSigned && (covers_file || (end > 0 && EOF.test(this.#text(end - TAIL_BYTES, end))));
    const isSound = covers && permitted !== false && trusted !== false;
    const { certificate } = cms ?? {};
    return {
      ...{ field, signer, subfilter, time: stamped ?? (date || null) },
      ...{ subject: certificate ? distinguishedName(certificate.subject) : null },
      ...{ issuer: certificate ? distinguishedName(certificate.issuer) : null },
      ...{ reason: this.#textIn(dictionary, "Reason"), location: this.#textIn(dictionary, "Location") },
      ...{ contact: this.#textIn(dictionary, "ContactInfo"), time_stamp: stamp ?? null },
      ...{ valid: intact === null || permitted === null ? (isSound ? null : false) : intact && isSound },
      ...{ intact, trusted, chain: (chain?.certificates ?? []).map(({ subject }) => distinguishedName(subject)) },
      ...{ covers_file, covers_revision: covers },
      ...{ certification_level: level ?? null, lock: lock ?? null },
      ...{ changes, changes_permitted: permitted },
    };
  }

  /** @param timeMs time at which the certificates must be valid. @returns undefined without a certificate */
  #chainOf(cms: CmsSignature | undefined, timeMs: number) {
    const { trusted } = this.#options;
    if (!cms?.certificate) return undefined;
    const { certificates, isTrusted } = chainOf(cms.certificate, cms.certificates, trusted ?? [], timeMs);
    return { certificates, isTrusted: trusted ? isTrusted : null };
  }

  #stampOf({ value }: CmsSignature, token: Uint8Array) {
    try {
      const cms = readCms(token);
      const { algorithm, digest, time } = timeStampIn(cms.content ?? new Uint8Array(0));
      const actual = digestOf([value], algorithm);
      const intact = actual && isEqual(actual, digest) ? isIntact(cms, [cms.content!]) : actual && false;
      const chain = this.#chainOf(cms, Date.parse(time ?? ""));
      const authority = cms.certificate?.name ?? "";
      // Any certificate of a trusted authority could date signatures back otherwise (RFC 3161, 2.3).
      const trusted = chain?.isTrusted === true ? cms.certificate!.isTimeStamper : (chain?.isTrusted ?? null);
      return { time: time ?? null, authority, intact: intact ?? null, trusted };
    } catch (error) {
      if (!(error instanceof InvalidAsn1)) throw error;
      return { time: null, authority: "", intact: false, trusted: null };
    }
  }

  /** Returns the changes after a signature, null if they are unknown; and whether it signs its own dictionary. */
  async #compare({
    dictionary,
    examined,
  }: Examined): Promise<{ changes: readonly Change[] | null; isSigned: boolean }> {
    const { field, end, covers_file } = examined;
    // In an encrypted document, the bytes may have been taken for an encrypted string.
    const isSigned = examined.isOwn || this.#pdf.source.isEncrypted;
    if (covers_file) return { changes: [], isSigned };
    if (end === 0 || this.#revisions++ >= MAX_REVISIONS) return { changes: null, isSigned };
    const passwords = { open: this.#options.open };
    try {
      using revision = await openPdf(this.#pdf.bytes.subarray(0, end), this.#context, { ...HALF, passwords });
      const found = changesAfter(new SourceDocument(revision.file), this.#document);
      const isClear = this.#isAppended(end) && (!this.#pdf.source.wasRepaired() || revision.source.wasRepaired());
      const changes: readonly Change[] = isClear ? found : [...found, { kind: "other" }];
      const signed = [...new DocumentFacts(revision, this.#context).signed()];
      // A later revision can say anything with the bytes of a signature.
      const isKnown = signed.some(([name, one]) => name === field && textOf(one) === textOf(dictionary));
      return { changes, isSigned: isSigned && isKnown };
    } catch (error) {
      // The revision is no document, so the signature covers only a part of one.
      if (error instanceof EngineFailure && ["damaged", "not-a-pdf"].includes(error.reason)) {
        return { changes: null, isSigned };
      }
      throw error;
    }
  }

  /** Reports whether what follows a revision is a section that all readers find; some readers find other objects, too. */
  #isAppended(end: number): boolean {
    const { bytes } = this.#pdf;
    return bytes.subarray(end).every((byte) => byte <= SPACE) || (lastSection(bytes)?.start ?? 0) >= end;
  }

  #textIn(dictionary: Dictionary, key: string): string | null {
    const text = this.#pdf.file.string(dictionary.get(key));
    return text ? decodeTextString(text).toWellFormed() : null;
  }

  #text(from: number, to: number): string {
    return Buffer.from(this.#pdf.bytes.subarray(Math.max(0, from), to)).toString("latin1");
  }
}

interface Examined {
  readonly dictionary: Dictionary;
  readonly examined: ExaminedSignature;
}
