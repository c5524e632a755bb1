// Real documents: the right picture, or the right error. The pictures are compared with poppler's.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { decode, perceptualDistance, popplerPage, readDocument } from "../support/pictures.ts";

const folder = join(corpusDir ?? "", "pdf");
const names = corpusDir ? readdirSync(folder).filter((name) => name.endsWith(".pdf")) : [];

const ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  "637.pdf": [400, "The input file is damaged or is not a PDF."],
  "actually_an_rtf.pdf": [400, "The input file is damaged or is not a PDF."],
  "enc-XI-R6-V5-U-view-O-master.pdf": [401, "The input file is password protected and cannot be processed."],
};

/** Looked at side by side: why a picture is further from poppler's than {@link BOUND}. */
const EXCEPTIONS: Readonly<Record<string, { readonly bound: number; readonly why: string }>> = {};
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
        if (page > 1 && status === 400 && body.error === `${page} is not within the acceptable range for pages.`) break;
        expect([status, body.error]).toEqual([200, undefined]);
        const bytes = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
        const distance = perceptualDistance(await decode(bytes, "opaquePng"), await popplerPage(pdf, page, 72));
        expect(distance, `page ${page}`).toBeLessThan(bound);
      }
    },
  );

  test.each(Object.entries(ERRORS))("%s: the right error", async (name, [status, error]) => {
    const pdf = await readDocument(join(folder, name));
    const answer = await privateClient().post("/png", { file: upload(pdf, name), output: "page" });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
