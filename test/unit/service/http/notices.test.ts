// Tests notices about content that documents lost, and their transfer from the container to the client.
// Contract: docs/api.md#notices
import { expect, test } from "vitest";
import { type Notice, type NoticeCode, namedNotices } from "../../../../src/document/contract/notice.ts";
import type { Output } from "../../../../src/document/contract/operation.ts";
import { noticeSentences } from "../../../../src/service/http/responses/notices.ts";
import { decodeResponse, encodeResponse } from "../../../../src/service/placement/remote.ts";

const one = (code: NoticeCode, count: number) => noticeSentences([{ code, count }])[0];
const named = (code: NoticeCode, ...names: string[]) =>
  noticeSentences(
    namedNotices(
      code,
      names.map((name) => ({ name })),
    ),
  );

test("one sentence for each kind of loss, singular and plural, without a period", () => {
  expect(one("signatures-removed", 1)).toBe("1 digital signature was removed");
  expect(one("signatures-removed", 2)).toBe("2 digital signatures were removed");
  expect(one("usage-rights-removed", 1)).toBe("usage rights for Adobe Reader were removed");
  expect(one("protection-removed", 2)).toBe("protection by an owner password was removed");
  expect(one("scripts-removed", 3)).toBe("JavaScript was removed");
  expect(one("actions-removed", 1)).toBe("1 action was removed");
  expect(one("multimedia-removed", 2)).toBe("2 multimedia annotations were removed");
  expect(one("chunks-left-out", 1)).toBe("1 inserted document was left out");
  expect(one("chunks-left-out", 2)).toBe("2 inserted documents were left out");
  expect(one("damaged-content-kept", 1)).toBe("damaged content of 1 page was passed on");
  expect(named("claims-suspended", "PDF/A-2u")).toEqual([
    "1 claim of conformance is untrue while the document is encrypted: PDF/A-2u",
  ]);
  expect(named("attachments-removed", "a.csv")).toEqual(["1 attachment was removed: a.csv"]);
  expect(named("attachments-removed", "a.csv", "b.txt")).toEqual(["2 attachments were removed: a.csv, b.txt"]);
  expect(named("pages-pictured", "3")).toEqual(["page 3 became a picture"]);
  expect(named("pages-pictured", "3", "5")).toEqual(["2 pages became pictures: 3, 5"]);
  expect(named("pages-recognized", "2")).toEqual(["the text of 1 page was recognized (OCR): 2"]);
  const fonts = namedNotices("fonts-substituted", [
    { name: "Calibri", replacedBy: "Carlito-Regular" },
    { name: "Verdana,Bold", replacedBy: "FitVerdana-Bold" },
    { name: "Candara", replacedBy: "Carlito-Regular" },
  ]);
  expect(noticeSentences(fonts)).toEqual([
    "3 fonts were substituted: Calibri (replaced by Carlito-Regular, same widths), Verdana,Bold (replaced by " +
      "FitVerdana-Bold, same widths), Candara (replaced by Carlito-Regular)",
  ]);
  expect(noticeSentences([])).toEqual([]);
});

test("notices of several outputs are added up, in one order", () => {
  const lost: Notice[] = [
    ...namedNotices("attachments-removed", [{ name: "a" }, { name: "b" }]),
    { code: "protection-removed", count: 1 },
    { code: "signatures-removed", count: 2 },
    ...namedNotices("attachments-removed", [{ name: "b" }, { name: "c" }]),
    { code: "signatures-removed", count: 1 },
    { code: "protection-removed", count: 1 },
  ];
  const sentences = [
    "3 digital signatures were removed",
    "protection by an owner password was removed",
    "3 attachments were removed: a, b, c",
  ];
  expect(noticeSentences(lost)).toEqual(sentences);
});

test("many names, long ones, and such as would change what is written around them", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `${"x".repeat(5000)}${index}`);
  const [sentence] = named("attachments-removed", ...names);
  expect(sentence).toMatch(/^300 attachments were removed: x+…, .* and 290 more$/);
  expect(sentence!.length).toBeLessThan(1000);
  expect(named("attachments-removed", "a\u0000\n\u202eb\ud800\u2066c")).toEqual([
    "1 attachment was removed: ab\ufffdc",
  ]);
  const frames = encodeResponse([
    {
      ...pdf(
        namedNotices(
          "attachments-removed",
          names.map((name) => ({ name })),
        ),
      ),
    },
  ]);
  expect(noticeSentences(await received(frames))).toEqual([sentence]);
});

test("from the container with what is read of an output, small or in chunks", async () => {
  const lost: Notice[] = [{ code: "signatures-removed", count: 2 }];
  for (const body of [
    new Uint8Array(9),
    (async function* () {
      yield new Uint8Array(9);
    })(),
  ]) {
    expect(await received(encodeResponse([{ ...pdf(lost), body }]))).toEqual(lost);
  }
  expect(await received(encodeResponse([pdf()]))).toEqual([]);
});

test.each<[string, unknown, Notice[]]>([
  ["without any", {}, []],
  ["of a kind that is not known here", { notices: [{ code: "moon-removed", count: 1 }] }, []],
  ["that are none", { notices: [null, 1, { code: "scripts-removed" }, { code: "scripts-removed", count: -1 }] }, []],
  ["that are no list", { notices: "scripts-removed" }, []],
])("an answer of another version, %s", async (_, end, notices) => {
  const frames = [{ output: { extension: "pdf", type: "application/pdf" } }, { end }, { done: true }].map(jsonFrame);
  expect(
    await received(
      (async function* () {
        yield* frames;
      })(),
    ),
  ).toEqual(notices);
});

const pdf = (lost?: readonly Notice[]): Output => ({
  extension: "pdf",
  type: "application/pdf",
  body: new Uint8Array(3),
  ...(lost ? { notices: () => lost } : {}),
});

function jsonFrame(value: unknown): Uint8Array {
  const payload = Buffer.from(JSON.stringify(value));
  const header = Buffer.from([1, 0, 0, 0, 0]);
  header.writeUInt32BE(payload.length, 1);
  return new Uint8Array(Buffer.concat([header, payload]));
}

async function received(frames: AsyncIterable<Uint8Array>): Promise<Notice[]> {
  const lost: Notice[] = [];
  for await (const { body, notices } of decodeResponse(frames, { signal: new AbortController().signal })) {
    for await (const _ of body instanceof Uint8Array ? [body] : body);
    lost.push(...(notices?.() ?? []));
  }
  return lost;
}
