// Tests POST /unzip: its response, and the errors of its archives.
// Contract: docs/api.md#unzip
// cspell:ignore AQABAD
import { zipSync } from "fflate";
import { expect, test } from "vitest";
import { privateClient, upload } from "../support/client.ts";

const client = privateClient();
const bytes = zipSync({ "report.txt": Buffer.from("A report"), "folder/report.txt": Buffer.from("Another") });

test("the files are stored under their names", async () => {
  const { status, body } = await client.post("/unzip", { file: upload(bytes, "a.zip") });
  expect(status).toBe(200);
  const { files } = body as { files: { name: string; id: string; outputUrl: string }[] };
  expect(files.map(({ name }) => name)).toEqual(["report.txt", "report (2).txt"]);
  expect(body.outputId).toEqual(files.map(({ id }) => id));
  expect(body.outputUrl).toEqual(files.map(({ outputUrl }) => outputUrl));
  const texts = files.map(async ({ outputUrl }) => {
    const response = await fetch(outputUrl);
    return [response.headers.get("Content-Type"), await response.text()];
  });
  expect(await Promise.all(texts)).toEqual([
    [expect.stringContaining("text/plain"), "A report"],
    [expect.stringContaining("text/plain"), "Another"],
  ]);
});

test("the size of a file does not matter", async () => {
  const sizes = [60_000, 65_536, 67_521, 130_000, 500_000, 1_048_575, 1_048_577];
  const text = (size: number) => Buffer.from(Array.from({ length: size }, (_, at) => (at * at) % 23));
  const archive = zipSync(Object.fromEntries(sizes.map((size) => [`${size}.bin`, text(size)])));
  const { status, body } = await client.post("/unzip", { file: upload(archive, "a.zip") });
  expect([status, body.error]).toEqual([200, undefined]);
  for (const { name, outputUrl } of (body as unknown as { files: { name: string; outputUrl: string }[] }).files) {
    const contents = Buffer.from(await (await fetch(outputUrl)).arrayBuffer());
    expect(contents.equals(text(Number.parseInt(name, 10)))).toBe(true);
  }
});

test.each([
  ["is damaged", upload(bytes.slice(0, -40), "a.zip"), 400, "The zip archive is damaged, or has no files."],
  ["is no archive", upload(Buffer.from("Text"), "a.txt"), 400, "Uploaded file is not valid input for this route."],
  [
    "needs a password",
    upload(
      Buffer.from(
        "UEsDBBQAAQBjAMOiel0AAAAALgAAAAQBAAAFAAsAYS50eHQBmQcAAgBBRQMIACKw7Zr65rIZXmc04M6N4tEkiwR4X+KOnVcBzX4KYk0f6bFq" +
          "KQqbo34HAP48pApQSwECFAMUAAEAYwDDonpdAAAAAC4AAAAEAQAABQALAAAAAAAAAAAAgAEAAAAAYS50eHQBmQcAAgBBRQMIAFBLBQYAAAAA" +
          "AQABAD4AAABcAAAAAAA=",
        "base64",
      ),
      "a.zip",
    ),
    400,
    "A password is required to process the document.",
  ],
])("an archive that %s", async (_, file, status, error) => {
  const response = await client.post("/unzip", { file });
  expect([response.status, String(response.body.error).slice(0, error.length)]).toEqual([status, error]);
});
