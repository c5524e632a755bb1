// Plants secrets in many places of a PDF, redacts them, and searches the outputs as an attacker would. The kit in
// test/support/redaction-attack shares no code with the redaction.
// Contract: docs/api.md#pdf-with-redacted-text-preview, #pdf-with-redacted-text-applied
import { describe, expect, test } from "vitest";
import { applyRedactions } from "../../../src/operations/apply-redactions.ts";
import { type MarkRedactionsParams, markRedactions } from "../../../src/operations/mark-redactions.ts";
import { outputsOf } from "../../support/operations.ts";
import { qpdfComplaints } from "../../support/pdf-readers.ts";
import { changedPixels, movedWords } from "../../support/redaction-attack/damage.ts";
import { FILE_PLACES } from "../../support/redaction-attack/file-places.ts";
import { HIDDEN_PLACES } from "../../support/redaction-attack/hidden-places.ts";
import { leaksOf } from "../../support/redaction-attack/leaks.ts";
import { SECRETS, type Secret, WIDE_SECRETS } from "../../support/redaction-attack/secrets.ts";
import type { Place } from "../../support/redaction-attack/text-parts.ts";
import { TEXT_PLACES } from "../../support/redaction-attack/text-places.ts";

const ALL_SECRETS = [...SECRETS, ...WIDE_SECRETS];
/**
 * Places whose content goes as a whole, because it is drawn at several places, of which marks do not cover all; and
 * glyphs that are missing in the font, whose shapes are wider than their areas.
 */
const NOT_COMPARED = new Set(["a pattern", "a glyph that draws a text", "vertical writing"]);
/** Number of secrets in each place; by default one in every sixth place. */
const PER_PLACE = Number(process.env.REDACTION_SECRETS ?? 1);
const STEP = process.env.REDACTION_SECRETS === undefined ? 6 : 1;

const PLANTS = [...TEXT_PLACES, ...HIDDEN_PLACES, ...FILE_PLACES]
  .filter((_, index) => index % STEP === 0)
  .map((place, index) => {
    const fitting = ALL_SECRETS.filter((secret) => place.fits?.(secret) ?? true);
    const chosen = Array.from(
      { length: Math.min(PER_PLACE, fitting.length) },
      (_, at) => (index + at) % fitting.length,
    );
    return [place.name, place, chosen.map((at) => fitting[at]!)] as const;
  });

async function redact(pdf: Uint8Array, redactions: MarkRedactionsParams["redactions"]): Promise<Uint8Array> {
  const [marked] = await outputsOf(markRedactions, [pdf], { redactions });
  const [redacted] = await outputsOf(applyRedactions, [marked!], { rgbColor: [0, 0, 0] });
  return redacted!;
}

async function attack(place: Place, secret: Secret): Promise<void> {
  const planted = place.plant(secret);
  expect(leaksOf(planted, secret.needle).next().value, "the secret is not found even before").toBeDefined();
  const redacted = await redact(planted, [secret.redaction] as MarkRedactionsParams["redactions"]);
  expect([...leaksOf(redacted, secret.needle)], `${secret.kind} ${secret.needle}`).toEqual([]);
  if (!TEXT_PLACES.includes(place) || NOT_COMPARED.has(place.name)) return;
  expect(movedWords(planted, redacted), `${secret.kind} ${secret.needle}`).toEqual([]);
  expect(changedPixels(planted, redacted), `${secret.kind} ${secret.needle}`).toBe(0);
}

describe("no secret is left", () => {
  test.each(PLANTS)("in %s", { timeout: 300_000 }, async (_, place, secrets) => {
    for (const secret of secrets) await attack(place, secret);
  });
});

const BROAD = ["\\w+", "[A-Z]", "\\d", "\\s", "Page", "Font", "P", "F1", "Redacted", "Helvetica", "Identity"];

describe("an expression that matches nearly everything", () => {
  const places = [...HIDDEN_PLACES, ...FILE_PLACES].filter((_, index) => index % (6 * STEP) === 0);
  test.each(BROAD)("%s", async (value) => {
    for (const [index, place] of places.entries()) {
      const planted = place.plant(SECRETS[index % SECRETS.length]!);
      expect(qpdfComplaints(await redact(planted, [{ type: "regex", value }])), place.name).toBe("");
    }
  });
});
