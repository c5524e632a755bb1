// Plants secrets in every place of a PDF, redacts them, and searches the outputs as an attacker would.
// Contract: docs/api.md#pdf-with-redacted-text-preview, #pdf-with-redacted-text-applied
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { test } from "vitest";
import { applyRedactions } from "../../../src/operations/apply-redactions.ts";
import { markRedactions } from "../../../src/operations/mark-redactions.ts";
import { outputsOf } from "../../support/operations.ts";
import { changedPixels, movedWords } from "../../support/redaction-attack/damage.ts";
import { FILE_PLACES } from "../../support/redaction-attack/file-places.ts";
import { HIDDEN_PLACES } from "../../support/redaction-attack/hidden-places.ts";
import { leaksOf } from "../../support/redaction-attack/leaks.ts";
import { SECRETS, WIDE_SECRETS } from "../../support/redaction-attack/secrets.ts";
import { TEXT_PLACES } from "../../support/redaction-attack/text-places.ts";

const N = Number(process.env["ATTACK_EVERY"] ?? 0);
test("attack", { timeout: 3_600_000 }, async () => {
  const out = process.env["ATTACK_OUT"]!;
  mkdirSync(out, { recursive: true });
  let count = 0;
  let turn = 0;
  const places =
    process.env["ATTACK_SET"] === "text"
      ? TEXT_PLACES
      : process.env["ATTACK_SET"] === "hidden"
        ? [...HIDDEN_PLACES, ...FILE_PLACES]
        : [...TEXT_PLACES, ...HIDDEN_PLACES, ...FILE_PLACES];
  for (const place of places) {
    const all = [...SECRETS, ...WIDE_SECRETS].filter((secret) => place.fits?.(secret) ?? true);
    const chosen = N === 0 ? all : Array.from({ length: Math.min(N, all.length) }, () => all[turn++ % all.length]!);
    for (const secret of chosen) {
      count++;
      const id = `${place.name} / ${secret.kind} / ${secret.needle}`;
      const file = `${out}/${count}`;
      const say = (kind: string, more: unknown) =>
        appendFileSync(`${out}/log.jsonl`, `${JSON.stringify({ kind, id, n: count, more })}\n`);
      let planted: Buffer;
      try {
        planted = place.plant(secret);
      } catch (error) {
        say("broken-plant", String(error));
        continue;
      }
      const before = leaksOf(planted, secret.needle);
      if (before.length === 0) say("no-control", "");
      let after: Uint8Array;
      try {
        const [marked] = await outputsOf(markRedactions, [planted], { redactions: [secret.redaction] as never });
        [after] = (await outputsOf(applyRedactions, [marked!], { rgbColor: [0, 0, 0] })) as [Uint8Array];
      } catch (error) {
        say("refused", String((error as Error).stack).slice(0, 600));
        writeFileSync(`${file}-in.pdf`, planted);
        continue;
      }
      const leaks = leaksOf(after, secret.needle);
      const moved = movedWords(planted, after);
      const pixels = TEXT_PLACES.includes(place) ? changedPixels(planted, after) : 0;
      if (leaks.length > 0) say("leak", leaks);
      if (moved.length > 0) say("moved", moved);
      if (pixels > 0) say("pixels", pixels);
      if (leaks.length + moved.length + pixels > 0) {
        writeFileSync(`${file}-in.pdf`, planted);
        writeFileSync(`${file}-out.pdf`, after);
      } else say("ok", "");
    }
  }
  console.log(count);
});
