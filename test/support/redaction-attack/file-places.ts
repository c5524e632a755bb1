// Places for secrets in the structure of files: earlier revisions, object streams and encryption, by qpdf and by hand.
import type { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { withFile } from "../pdf-readers.ts";
import { pdf, stream, updated, utf16 } from "./raw-pdf.ts";
import { isLatin, type Secret } from "./secrets.ts";
import { drawn, type Place, shown } from "./text-parts.ts";

const shows = (secret: Secret) =>
  drawn(secret, `${shown(secret.text, secret)} Tj`, {
    trailer: "/Info 10 0 R",
    catalog: "/Outlines 11 0 R",
    objects: {
      10: `<< /Title ${utf16(secret.text)} >>`,
      11: "<< /Type /Outlines /First 12 0 R /Last 12 0 R /Count 1 >>",
      12: `<< /Parent 11 0 R /Title ${utf16(secret.text)} /Dest [3 0 R /Fit] >>`,
    },
  });
const EMPTY = stream("BT /F2 12 Tf 72 700 Td (A page without it) Tj ET");

const byQpdf =
  (...options: readonly string[]) =>
  (secret: Secret): Buffer =>
    withFile(shows(secret), (path) => {
      execFileSync("qpdf", ["--warning-exit-0", path, ...options, `${path}.out`], { stdio: "ignore" });
      return readFileSync(`${path}.out`);
    });

export const FILE_PLACES: readonly Place[] = [
  { name: "object streams", plant: byQpdf("--object-streams=generate", "--compress-streams=y") },
  { name: "a linearized file", plant: byQpdf("--linearize") },
  { name: "RC4", plant: byQpdf("--allow-weak-crypto", "--encrypt", "", "owner", "128", "--use-aes=n", "--") },
  { name: "AES-256", plant: byQpdf("--encrypt", "", "owner", "256", "--") },
  { name: "ASCII filters", plant: byQpdf("--qdf", "--object-streams=disable") },
  {
    name: "an earlier version of content",
    plant: (secret) =>
      updated(shows(secret), { 4: EMPTY, 10: "<< /Title (b) >>", 12: "<< /Parent 11 0 R /Title (b) >>" }),
  },
  {
    name: "a deleted object",
    plant: (secret) => updated(shows(secret), { 4: EMPTY, 10: "<< >>", 11: undefined, 12: undefined }),
  },
  {
    name: "an earlier version of a shown text",
    plant: (secret) =>
      updated(updated(shows(secret), { 4: EMPTY }), {
        4: stream(`BT /F1 9 Tf 72 300 Td ${shown(secret.text, secret)} Tj ET`),
      }),
  },
  {
    name: "earlier information",
    plant: (secret) =>
      updated(
        pdf({ trailer: "/Info 10 0 R", objects: { 10: `<< /Author ${utf16(secret.text)} >>` } }),
        { 11: "<< /Author (b) >>" },
        "/Info 11 0 R",
      ),
  },
  {
    name: "an earlier page",
    plant: (secret) =>
      updated(shows(secret), {
        2: "<< /Type /Pages /Kids [20 0 R] /Count 1 >>",
        20: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << >> >>",
      }),
  },
  {
    name: "a file without a cross-reference table",
    fits: isLatin,
    plant: (secret) => {
      const bytes = shows(secret);
      return bytes.subarray(0, bytes.lastIndexOf("xref\n0 1")) as Buffer;
    },
  },
];
