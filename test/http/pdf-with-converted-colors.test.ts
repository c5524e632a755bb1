// Tests POST /pdf-with-converted-colors: the profile as a file and by ID, errors, and notices. The operation's own tests
// check the colors.
// Contract: docs/api.md#pdf-with-converted-colors
import { expect, test } from "vitest";
import { grayProfile } from "../../src/document/formats/icc/profile.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { uncompressed } from "../support/pdf-readers.ts";

const client = privateClient();
const pdf = upload(await labeledPdf("P", 2), "book.pdf");
const profile = upload(grayProfile(), "own.icc");
const post = (fields: object, service = client) =>
  service.post("/pdf-with-converted-colors", { file: pdf, ...(fields as Record<string, string>) });

test.each([
  [{}, "The 'color_profile' field is required."],
  [{ color_profile: "adobe-rgb" }, "adobe-rgb is not within the acceptable range for color_profile."],
  [{ color_profile: "srgb", preserve_black: "on" }, "on is not within the acceptable range for preserve_black."],
  [{ color_profile: "custom" }, "The 'profile' field is required."],
  [
    { color_profile: "custom", profile: upload(Buffer.from("no profile"), "own.icc") },
    "own.icc is not within the acceptable range for profile. It is not an ICC profile to which gray, RGB or CMYK colors can be converted.",
  ],
])("%j is refused", async (fields, error) => {
  for (const service of [client, keyedClient()]) {
    const { status, body } = await post(fields, service);
    expect([status, body.error]).toEqual([400, error]);
  }
});

test("a profile as a file, and by the ID of a stored file", async () => {
  const stored = await client.post("/upload", { file: profile });
  const { id } = (stored.body as unknown as { files: { id: string }[] }).files[0]!;
  for (const sent of [{ profile }, { profile_id: id }]) {
    const [made] = await client.make("/pdf-with-converted-colors", { file: pdf, color_profile: "custom", ...sent });
    expect(uncompressed(made!.bytes)).toMatch(/\/N 1\b/);
  }
});
