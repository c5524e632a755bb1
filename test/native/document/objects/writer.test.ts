// Tests files of the PDF writer by reading them with qpdf.
import { expect, test } from "vitest";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { PdfFile } from "../../../../src/document/objects/pdf-file.ts";
import { Dictionary, Name, PdfStream } from "../../../../src/document/objects/values.ts";
import { FileWriter } from "../../../../src/document/objects/writer.ts";
import { bodyOf, gathered } from "../../../support/pdf-objects.ts";
import { uncompressed } from "../../../support/pdf-readers.ts";

const MIB = 2 ** 20;

test("streams are written as they are put", async () => {
  const holder: { writer?: FileWriter } = {};
  const target = PdfFile.create(new Budget(MIB), { writeStream: (...put) => holder.writer!.writeStream(...put) });
  const writer = new FileWriter("1.7", "kept");
  holder.writer = writer;
  const before = writer.pendingBytes;
  const reference = target.add(new PdfStream(new Dictionary(), bodyOf("x".repeat(50))));
  expect(writer.pendingBytes).toBeGreaterThan(before + 50);
  target.catalog.set("Pages", target.add(Dictionary.of({ Type: Name.of("Pages"), Kids: [], Count: 0 })));
  target.catalog.set("Mine", reference);
  const output = await gathered(writer.finish(target));
  expect(uncompressed(output)).toContain("x".repeat(50));
});
