// Runs the official validator of the IIIF Image API, with a page that looks like the validator's reference image.
// Contract: docs/api.md#iiif
import { expect, test } from "vitest";
import { privateClient, upload } from "../support/client.ts";
import { missingValidator, referencePdf, validate } from "../support/iiif-validator.ts";

const missing = await missingValidator();
if (missing) console.log(missing);

/** Tests of level 3: other formats, other angles, and `^max` without enlarging (decisions/0042). */
const NOT_OFFERED = ["format_jp2", "format_pdf", "format_webp", "rot_full_non90", "rot_region_non90", "size_up"];

test.skipIf(missing)("the official validator passes at level 2, with either spelling of the colon", async () => {
  const client = privateClient();
  const form = new FormData();
  form.append("file", upload(await referencePdf(), "reference.pdf"));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body: form });
  const { files } = (await response.json()) as { files: { id: string }[] };
  for (const separator of ["%3A", ":"]) {
    const image = `${client.url}/iiif/${files[0]!.id}${separator}1`;
    const { count, failed, output } = await validate(image, 2);
    expect(failed, output).toEqual([]);
    expect(count).toBeGreaterThan(30);
    const all = await validate(image, 3);
    expect(all.failed.filter((name) => !NOT_OFFERED.includes(name))).toEqual([]);
  }
});
