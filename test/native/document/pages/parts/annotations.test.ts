// Tests the annotations of merged and split documents.
import { describe, expect, test } from "vitest";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { merged, PdfJson } from "../../../../support/pdf-json.ts";
import { qpdfComplaints, uncompressed } from "../../../../support/pdf-readers.ts";

/** Returns a document: page 1 has a note with a pop-up and a reply with a pop-up, page 2 has a note. */
function annotated(): Uint8Array {
  const builder = new PdfBuilder();
  const [note, popup, reply, replyPopup, page] = Array.from({ length: 5 }, () => builder.reserve()) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const rest = `/Rect[9 9 29 29]/P ${page}`;
  builder.set(note, `<</Type/Annot/Subtype/Text/Contents(the note)/Popup ${popup}${rest}>>`);
  builder.set(popup, `<</Type/Annot/Subtype/Popup/Parent ${note}${rest}>>`);
  builder.set(reply, `<</Type/Annot/Subtype/Text/Contents(the reply)/IRT ${note}/RT/R/Popup ${replyPopup}${rest}>>`);
  builder.set(replyPopup, `<</Type/Annot/Subtype/Popup/Parent ${reply}${rest}>>`);
  builder.page("1", `/Annots[${[note, popup, reply, replyPopup].join(" ")}]`, "", page);
  builder.page("2", "/Annots[<</Type/Annot/Subtype/Text/Contents(secret note)/Rect[0 0 9 9]>>]");
  return builder.bytes();
}

describe("annotations", () => {
  test("keep their popups and replies, on every page that is taken, and again where it is taken again", async () => {
    const pdf = await merged([annotated(), "1,1"], annotated());
    const document = new PdfJson(pdf);
    const seen = new Set<string>();
    for (const pageNumber of [1, 2, 3]) {
      const references: string[] = document.at(document.pages[pageNumber - 1], "Annots");
      expect(references).toHaveLength(4);
      const [note, popup, reply, replyPopup] = references;
      expect(document.get(note)).toMatchObject({ "/Contents": "u:the note", "/Popup": popup });
      expect(document.get(popup)).toMatchObject({ "/Parent": note });
      expect(document.get(reply)).toMatchObject({ "/IRT": note, "/RT": "/R", "/Popup": replyPopup });
      expect(document.get(replyPopup)).toMatchObject({ "/Parent": reply });
      for (const reference of references) {
        expect(document.pageNumber(document.at(reference)["/P"])).toBe(pageNumber);
        expect(seen).not.toContain(reference);
        seen.add(reference);
      }
    }
    expect(document.annotations(4)).toHaveLength(1);
    expect(qpdfComplaints(pdf)).toBe("");
    expect(uncompressed(await merged([annotated(), "1"]))).not.toContain("secret note");
  });

  test("a popup that no page lists, and a reply to what is on another page", async () => {
    const builder = new PdfBuilder();
    const [note, popup, reply] = [builder.reserve(), builder.reserve(), builder.reserve()];
    builder.set(note, `<</Type/Annot/Subtype/Text/Contents(secret note)/Popup ${popup}/Rect[0 0 9 9]>>`);
    builder.set(popup, `<</Type/Annot/Subtype/Popup/Parent ${note}/Rect[0 0 9 9]>>`);
    builder.set(reply, `<</Type/Annot/Subtype/Text/Contents(reply)/IRT ${note}/RT/R/Rect[0 0 9 9]>>`);
    builder.page("1", `/Annots[${note}]`);
    builder.page("2", `/Annots[${reply}]`);
    const both = new PdfJson(await merged(builder.bytes()));
    expect(both.at(both.annotations(1)[0]["/Popup"])["/Parent"]).toBe(both.at(both.pages[0], "Annots")[0]);
    const pdf = await merged([builder.bytes(), "2"]);
    expect(new PdfJson(pdf).annotations(1)[0]).not.toHaveProperty("/IRT");
    expect(uncompressed(pdf)).not.toContain("secret note");
  });

  test("a private entry that leads to an annotation of another page leads to nothing", async () => {
    const builder = new PdfBuilder();
    const secret = builder.add("<</Type/Annot/Subtype/Text/Contents(secret note)/Rect[0 0 9 9]>>");
    builder.page("1", `/Annots[<</Type/Annot/Subtype/Text/Contents(open)/Rect[0 0 9 9]/Private ${secret}>>]`);
    builder.page("2", `/Annots[${secret}]`);
    expect(uncompressed(await merged([builder.bytes(), "1"]))).not.toContain("secret note");
  });

  test("article threads: the beads of the pages taken make a ring", async () => {
    const builder = new PdfBuilder();
    const pages = [1, 2, 3].map(() => builder.reserve());
    const beads = [1, 2, 3].map(() => builder.reserve());
    const thread = builder.add(`<</F ${beads[0]}/I<</Title(article)>>>>`);
    beads.forEach((bead, index) => {
      const [next, previous] = [beads[(index + 1) % 3], beads[(index + 2) % 3]];
      builder.set(bead, `<</T ${thread}/N ${next}/V ${previous}/P ${pages[index]}/R[0 0 9 9]>>`);
      builder.page(`${index + 1}`, `/B[${bead}]`, "", pages[index]);
    });
    builder.catalog = `/Threads[${thread}]`;
    const document = new PdfJson(await merged([builder.bytes(), "1,3"], builder.bytes()));
    const threads = document.at(document.catalog, "Threads");
    const ring = (first: string, step: string) => {
      const numbers: unknown[] = [];
      for (let at = first; numbers.length === 0 || at !== first; at = document.get(at)[step]) {
        numbers.push(document.pageNumber(document.get(at)["/P"]));
      }
      return numbers;
    };
    expect(threads.map((value: string) => ring(document.get(value)["/F"], "/N"))).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(ring(document.get(threads[1])["/F"], "/V")).toEqual([3, 5, 4]);
    expect(document.at(document.pages[1], "B", 0)["/P"]).toBe(document.pages[1]);
  });
});
