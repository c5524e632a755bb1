// Tests that real documents give the right image or the right error. The images are compared with poppler's.
// Contract: docs/api.md#png, #image-endpoints, #errors
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { beginning } from "../support/beginning.ts";
import { privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { decode, perceptualDistance, popplerPage, readDocument } from "../support/pictures.ts";

const folder = join(corpusDir ?? "", "pdf");
const names = corpusDir ? readdirSync(folder).filter((name) => name.endsWith(".pdf")) : [];

const ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  "637.pdf": [400, "The input file is damaged or is not a PDF."],
  "actually_an_rtf.pdf": [400, beginning("Uploaded file is not valid input for this route.")],
  "enc-XI-R6-V5-U-view-O-master.pdf": [401, "The input file is password protected and cannot be processed."],
};

/** Images that exceed {@link BOUND}, with the reason, after a comparison side by side. */
const EXCEPTIONS: Readonly<Record<string, { readonly bound: number; readonly why: string }>> = {
  "ColorDodge.pdf": {
    bound: 40,
    why: "black under ColorDodge stays black, as ISO 32000-2 11.3.5.2 says; poppler lightens it",
  },
  "Seige_of_Vicksburg_Sample_OCR.pdf": { bound: 16, why: "soft masks of scans are scaled more smoothly" },
  "crash-121-2.pdf": { bound: 25, why: "damaged: three pages are legible, of which poppler shows the second blank" },
  "test3.pdf": { bound: 16, why: "Japanese without embedded fonts; poppler has no font for it here" },
  "validAvoir_FR_type380_BASICWL.pdf": {
    bound: 16,
    why: "hairlines have their true weight; poppler draws them a pixel wide",
  },
  "with_xfa_fields.pdf": { bound: 20, why: "hairlines, as above, on most of the page" },
};
const BOUND = 10;

describe.skipIf(corpusDir === undefined)("corpus", () => {
  test.each(names.filter((name) => !(name in ERRORS)))(
    "%s: its first pages look as poppler draws them",
    async (name) => {
      const pdf = await readDocument(join(folder, name));
      const bound = EXCEPTIONS[name]?.bound ?? BOUND;
      for (const page of [1, 2, 3]) {
        const fields = { file: upload(pdf, name), output: "page", pages: String(page), resolution: "72" };
        const { status, body } = await privateClient().post("/png", fields);
        if (page > 1 && status === 400 && String(body.error).startsWith(`${page} is not`)) break;
        expect([status, body.error]).toEqual([200, undefined]);
        const bytes = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
        const distance = perceptualDistance(await decode(bytes, "opaquePng"), await popplerPage(pdf, page, 72));
        expect(distance, `page ${page}; ${EXCEPTIONS[name]?.why ?? ""}`).toBeLessThan(bound);
      }
    },
  );

  test("every exception names a document that is there", () => {
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each(Object.entries(ERRORS))("%s: the right error", async (name, [status, error]) => {
    const pdf = await readDocument(join(folder, name));
    const answer = await privateClient().post("/png", { file: upload(pdf, name), output: "page" });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
