// Tests copying between files, and the limit of memory for objects.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { Copier } from "../../../../src/document/objects/copier.ts";
import { Interning } from "../../../../src/document/objects/interning.ts";
import { PdfFile } from "../../../../src/document/objects/pdf-file.ts";
import { Reference, type Value } from "../../../../src/document/objects/values.ts";
import { writeFile } from "../../../../src/document/objects/writer.ts";
import { onePage, stream } from "../../../support/hostile-pdfs.ts";
import { reasonOf } from "../../../support/operations.ts";
import { openPdf } from "../../../support/pdf-objects.ts";

const MIB = 2 ** 20;

describe("copies", () => {
  const copyOf = async (bytes: Uint8Array, number: number, prepare?: (copier: Copier) => void) => {
    using opened = await openPdf(bytes);
    const target = PdfFile.create(new Budget(256 * MIB));
    const copier = Copier.between(opened.file, target);
    prepare?.(copier);
    const copy = copier.reference(new Reference(number));
    let steps = 0;
    while (copier.step()) steps++;
    return { target, copy, steps };
  };

  test("a chain of 200,000 objects, and a circle", async () => {
    const links = Array.from({ length: 200_000 }, (_, index) => `<</Next ${index + 6} 0 R/Title(${index})>>`);
    links.push("<</Next 5 0 R/Title(last)>>");
    const { target, copy, steps } = await copyOf(onePage("n", "", links), 5);
    expect(steps).toBe(200_001);
    let at: Value = copy!;
    for (let index = 0; index < 200_000; index++) at = target.dictionary(at)!.get("Next")!;
    expect(target.string(target.dictionary(at)!.get("Title"))!.latin1).toBe("last");
    expect(target.dictionary(at)!.get("Next")).toEqual(copy);
  });

  test("lead where they are told to: seeds, visitors, what is excluded", async () => {
    const objects = [
      "<</Seeded 6 0 R/Dropped 7 0 R/Deleted 8 0 R/Kept 9 0 R/List[7 0 R 9 0 R]>>",
      "(s)",
      "(d)",
      "(x)",
      "(k)",
    ];
    const { target, copy } = await copyOf(onePage("n", "", objects), 5, (copier) => {
      copier.seed(new Reference(6), new Reference(1));
      copier.seed(new Reference(7), null);
      copier.onVisit((dictionary, reference) => {
        if (reference?.number !== 5) return;
        dictionary.delete("Deleted");
        dictionary.set("Added", [new Reference(9)]);
      });
    });
    const found = target.dictionary(copy!)!;
    expect([...found.keys()]).toEqual(["Seeded", "Kept", "List", "Added"]);
    const kept = found.get("Kept") as Reference;
    expect(found.get("Seeded")).toEqual(new Reference(1));
    expect(found.get("List")).toEqual([null, kept]);
    expect(found.get("Added")).toEqual([kept]);
    expect(target.string(kept)!.latin1).toBe("k");
  });

  test("for a repeat are copied anew, and share all else", async () => {
    using opened = await openPdf(
      onePage("n", "", ["<</P 3 0 R/Popup 6 0 R/Font 7 0 R>>", "<</Parent 5 0 R>>", "(font)"]),
    );
    const target = PdfFile.create(new Budget(MIB));
    const copier = Copier.between(opened.file, target);
    const [first, second] = [target.reserve(), target.reserve()];
    copier.seed(new Reference(3), first);
    const again = copier.forRepeat(new Set([5, 6]), new Reference(3), second);
    const [one, other] = [copier, again].map((each) => each.reference(new Reference(5))!);
    while (copier.step());
    const [before, after] = [one!, other!].map((reference) => target.dictionary(reference)!);
    expect([before!.get("P"), after!.get("P")]).toEqual([first, second]);
    expect(before!.get("Font")).toEqual(after!.get("Font"));
    expect(target.dictionary(before!.get("Popup"))!.get("Parent")).toEqual(one);
    expect(target.dictionary(after!.get("Popup"))!.get("Parent")).toEqual(other);
    expect(again.repeat).toBe(second);
  });

  test("of equal objects are one, however they are written; of others as many", async () => {
    const font = (name: string) => [
      `<</Type/Font/BaseFont/${name}/FontDescriptor 6 0 R>>`,
      "<</Type/FontDescriptor/FontFile 7 0 R>>",
      stream("font"),
    ];
    const reordered = ["<</FontDescriptor 6 0 R/BaseFont/A/Type/Font>>", ...font("A").slice(1)];
    const circular = ["<</Type/Font/FontDescriptor 5 0 R>>"];
    const annotation = ["<</Subtype/Link/P 3 0 R>>"];
    const target = PdfFile.create(new Budget(MIB));
    const interning = new Interning(target.budget);
    const copies: number[] = [];
    for (const objects of [font("A"), reordered, font("B"), circular, circular, annotation, annotation]) {
      using opened = await openPdf(onePage("n", "", objects));
      const copier = Copier.between(opened.file, target, { interning, isExcluded: (number) => number === 3 });
      copies.push(copier.reference(new Reference(5))!.number);
      while (copier.step());
    }
    const [a, same, b, ...others] = copies;
    expect(same).toBe(a);
    expect(new Set([a, b, ...others]).size).toBe(6);
  });
});

describe("room", () => {
  test("a document with too many objects is refused, and not the isolate ended", async () => {
    const links = Array.from({ length: 300_000 }, (_, index) => `<</Next ${index + 6} 0 R>>`);
    using opened = await openPdf(onePage("n", "", links, "/First 5 0 R"), 8 * MIB);
    const target = PdfFile.create(new Budget(8 * MIB));
    const copier = Copier.between(opened.file, target);
    const copying = async () => {
      copier.reference(new Reference(5));
      while (copier.step());
    };
    expect(await reasonOf(copying)).toBe("too-large");
  });

  test("one array of five million numbers is refused before it is made", async () => {
    const bytes = onePage("n", "", [`[${"0 ".repeat(5_000_000)}]`]);
    using opened = await openPdf(bytes, 8 * MIB);
    expect(await reasonOf(async () => opened.file.get(new Reference(5)))).toBe("too-large");
  });

  test("what is read and not kept is forgotten: a million objects are walked in a few MiB", async () => {
    const objects = Array.from({ length: 1_000_000 }, (_, index) => `<</N ${index}>>`);
    using opened = await openPdf(onePage("n", "", objects), 4 * MIB);
    let largest = 0;
    let sum = 0;
    for (let number = 5; number < 1_000_005; number++) {
      sum += opened.file.number(opened.file.dictionary(new Reference(number))!.get("N"))!;
      if (number % 1000 === 0) await opened.file.relieve();
      largest = Math.max(largest, opened.source.heapBytes);
    }
    expect(largest).toBeLessThan(72 * MIB);
    expect(sum).toBe((1_000_000 * 999_999) / 2);
    expect(opened.file.budget.usedBytes).toBeLessThan(4 * MIB);
  });

  test("50 MB pass through without being held", async () => {
    const images = Array.from({ length: 50 }, () => stream(randomBytes(MIB)));
    const list = images.map((_, index) => `${index + 5} 0 R`).join(" ");
    using opened = await openPdf(onePage("n", "", images, `/All[${list}]`));
    let written = 0;
    let largest = 0;
    for await (const chunk of writeFile(opened.file)) {
      written += chunk.length;
      largest = Math.max(largest, opened.source.heapBytes);
    }
    expect(written).toBeGreaterThan(50 * MIB);
    expect(largest).toBeLessThan(40 * MIB);
  });
});
