// Contract: docs/api.md#pdf-with-redacted-text-applied
import { describe, expect, test } from "vitest";
import { applyRedactions } from "../../../src/operations/apply-redactions.ts";
import { type MarkRedactionsParams, markRedactions } from "../../../src/operations/mark-redactions.ts";
import { PLACES } from "../../fixtures/redaction-plants.ts";
import { outputsOf } from "../../support/operations.ts";
import { textOf, uncompressed } from "../../support/pdf-readers.ts";

type Redactions = MarkRedactionsParams["redactions"];

async function redact(pdf: Uint8Array, redactions: Redactions): Promise<Uint8Array> {
  const [marked] = await outputsOf(markRedactions, [pdf], { redactions });
  const [applied] = await outputsOf(applyRedactions, [marked!], { rgbColor: [0, 0, 0] });
  return applied!;
}

const compact = (text: string) => text.normalize("NFKC").replace(/\s/g, "");

/** Returns where another program finds a secret: in the text, in any string, or in any decoded stream. */
function leaksOf(pdf: Uint8Array, secret: string): string[] {
  const found: string[] = [];
  if (compact(textOf(pdf).join("")).includes(compact(secret))) found.push("pdftotext");
  const bytes = Buffer.from(uncompressed(pdf), "latin1");
  for (const encoding of ["latin1", "utf8"] as const) {
    if (bytes.includes(Buffer.from(secret, encoding))) found.push(`the bytes as ${encoding}`);
  }
  if (bytes.includes(Buffer.from(secret, "utf16le").swap16())) found.push("the bytes as UTF-16");
  const strings = [...bytes.toString("latin1").matchAll(/\(((?:[^()\\]|\\.)*)\)|<((?:[\da-fA-F]{2})+)>/gs)].map(
    ([, text, hex]) => {
      const raw =
        hex === undefined ? text!.replace(/\\([0-7]{3}|.)/gs, unescaped) : Buffer.from(hex, "hex").toString("latin1");
      return raw.startsWith("\xfe\xff") ? Buffer.from(raw.slice(2), "latin1").swap16().toString("utf16le") : raw;
    },
  );
  if (compact(strings.join("")).includes(compact(secret))) found.push("strings");
  return found;
}
const unescaped = (_: string, one: string) => (one.length === 3 ? String.fromCharCode(Number.parseInt(one, 8)) : one);

const SECRETS = ["Zyxwvuts", "J\u00f6rg Strau\u00df", "AB-4929/11 (x)"];
/** `REDACTION_PLANTS=all` plants every secret in every place. */
const isLong = process.env.REDACTION_PLANTS === "all";

describe("no secret is left", () => {
  test.for(Object.entries(PLACES).map(([name, plant], index) => [name, plant, index] as const))(
    "in %s",
    async ([, plant, index]) => {
      for (const secret of isLong ? SECRETS : [SECRETS[index % SECRETS.length]!]) {
        const applied = await redact(plant(secret), [{ type: "literal", value: secret }]);
        expect([secret, ...leaksOf(applied, secret)]).toEqual([secret]);
        expect(textOf(applied).join("")).toMatch(/Neighbor above[\s\S]*Neighbor below|^$/);
      }
    },
  );
});
