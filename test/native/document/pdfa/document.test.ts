// Tests the rules of PDF/A for actions, annotations, layers, attachments, metadata and colors.
import { describe, expect, test } from "vitest";
import {
  actionsPdf,
  annotationsPdf,
  attachmentsPdf,
  colorsPdf,
  layersPdf,
  MANAGED_PACKET,
  metadataPdf,
  pinnedPdf,
  staleFormPdf,
  type3Pdf,
} from "../../../fixtures/archival-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { type Archived, readArchived } from "../../../support/archival.ts";
import type { LevelName } from "../../../support/levels.ts";
import { attachedTo, type Json } from "../../../support/pdf-json.ts";
import { textOf } from "../../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

const emptyPage = () => {
  const builder = new PdfBuilder();
  builder.page("");
  return builder.bytes();
};

describe("actions (6.5, 6.6)", () => {
  test.each(["1b", "2b"] as const)("%s: forbidden ones go, and what came after them stays", async (level) => {
    const { json, page, text } = await readArchived(actionsPdf(), level);
    const { catalog } = json;
    expect(json.at(catalog["/OpenAction"], "S")).toBe("/GoTo");
    for (const key of ["/AA", "/Requirements", "/NeedsRendering", "/Version", "/Perms"])
      expect(catalog).not.toHaveProperty(key);
    expect(json.at(catalog, "Names")).toEqual({});
    expect(json.at(catalog, "AcroForm")).toEqual({ "/Fields": [] });
    for (const key of ["/AA", "/PresSteps"]) expect(page(1)).not.toHaveProperty(key);
    const actions = json.annotations(1).map((link: Json) => json.get(link["/A"]) ?? null);
    expect(actions.slice(0, 3)).toEqual([null, null, { "/S": "/Named", "/N": "/NextPage" }]);
    expect(actions[3]).toMatchObject({ "/S": "/URI" });
    expect(text).not.toMatch(/JavaScript|app\.alert|calc\.exe|\/Hide/);
  });
});

describe("annotations (6.3, 6.5)", () => {
  const bySubtype = ({ json }: Archived, subtype: string): Json[] =>
    json.annotations(1).filter((annotation: Json) => annotation["/Subtype"] === `/${subtype}`);
  const field = ({ json }: Archived, name: string): Json =>
    json.annotations(1).find((annotation: Json) => annotation["/T"] === `u:${name}`);

  test.each(["1b", "2b"] as const)("%s: flags are set to print and not to hide", async (level) => {
    const { json } = await readArchived(annotationsPdf(), level);
    const annotations = json.annotations(1);
    expect(annotations.length).toBeGreaterThan(10);
    for (const annotation of annotations) expect(annotation["/F"] & (1 | 2 | 4 | 32 | 256)).toBe(4);
  });

  test.each(["1b", "2b"] as const)(
    "%s: appearances are normal ones only, streams or states of buttons",
    async (level) => {
      const { json } = await readArchived(annotationsPdf(), level);
      for (const annotation of json.annotations(1)) {
        if (annotation["/Subtype"] === "/Link") continue;
        const appearance = json.get(annotation["/AP"]);
        expect(Object.keys(appearance)).toEqual(["/N"]);
        const normal = json.get(appearance["/N"]);
        const isStream = normal["/Subtype"] === "/Form";
        const isButton = annotation["/FT"] === "/Btn";
        expect(isStream).toBe(!isButton);
        if (isButton) expect(json.at(normal, annotation["/AS"].slice(1))["/Subtype"]).toBe("/Form");
      }
    },
  );

  test.each([
    ["made anew where the form asks for it", true, ["one", "two", "three"]],
    ["kept otherwise", false, []],
  ] as const)("appearances of fields are %s", async (_, needsAppearances, texts) => {
    const { bytes, json } = await readArchived(staleFormPdf(needsAppearances), "2b");
    expect(json.at(json.catalog, "AcroForm")).not.toHaveProperty("/NeedAppearances");
    expect(textOf(bytes).join(" ").split(/\s+/).filter(Boolean)).toEqual(texts);
  });

  test("what was hidden does not come out", async () => {
    const result = await readArchived(annotationsPdf(), "2b");
    expect(bySubtype(result, "Text")).toEqual([]);
    expect(bySubtype(result, "Popup")).toEqual([]);
    expect(result.text).not.toContain("hidden note");
    const hidden = result.json.at(field(result, "hidden"), "AP", "N");
    expect(hidden["/Length"]).toBe(0);
  });

  test.each(["1b", "2b"] as const)("%s: a hidden link shows neither its appearance nor a border", async (level) => {
    const builder = new PdfBuilder();
    const form = builder.stream("1 0 0 rg 0 0 90 90 re f", "/Type/XObject/Subtype/Form/BBox[0 0 90 90]");
    const action = "/A<</S/URI/URI(https://example.com/)>>";
    builder.page("", `/Annots[<</Subtype/Link/F 2/Rect[9 9 99 99]/BS<</W 5>>/AP<</N ${form}>>${action}>>]`);
    const { bytes, json } = await readArchived(builder.bytes(), level);
    expect(json.annotations(1)).toMatchObject([{ "/Subtype": "/Link", "/F": 4 }]);
    expect(perceptualDistance(await popplerPage(bytes, 1, 72), await popplerPage(emptyPage(), 1, 72))).toBe(0);
  });

  test("types that are not allowed become stamps where they have an appearance, else go", async () => {
    const result = await readArchived(annotationsPdf(), "2b");
    expect(bySubtype(result, "Movie")).toEqual([]);
    expect(bySubtype(result, "Sound")).toEqual([]);
    // Stamps made from a movie and a signature, and an original stamp.
    expect(bySubtype(result, "Stamp")).toHaveLength(3);
    expect(bySubtype(result, "Polygon")).toHaveLength(1);
    const first = await readArchived(annotationsPdf(), "1b");
    expect(bySubtype(first, "Polygon")).toEqual([]);
    expect(bySubtype(first, "Stamp")).toHaveLength(4);
  });

  test("fields and notes without an appearance get one that shows their text", async () => {
    const result = await readArchived(annotationsPdf(), "2b");
    const { text } = result;
    for (const shown of ["Value", "two", "Push", "free"])
      expect(text).toMatch(new RegExp(`\\(${shown}[^)]*\\)|<[0-9a-f]+>`));
    expect(result.json.at(field(result, "text"), "AP", "N")["/Length"]).toBeGreaterThan(10);
    expect(result.json.at(field(result, "push"), "AP", "N", "Off")["/Length"]).toBeGreaterThan(10);
  });

  test("fields have no actions; a signature is no field any more, an empty one is", async () => {
    const result = await readArchived(annotationsPdf(), "2b");
    const { json, text } = result;
    for (const widget of bySubtype(result, "Widget"))
      for (const key of ["/A", "/AA"]) expect(widget).not.toHaveProperty(key);
    const names = json.at(json.catalog, "AcroForm", "Fields").map((reference: Json) => json.get(reference)["/T"]);
    expect(names).toEqual(
      ["text", "choice", "check", "states", "push", "hidden", "unsigned"].map((name) => `u:${name}`),
    );
    expect(text).not.toContain("ByteRange");
    expect(json.at(json.catalog, "AcroForm")).not.toHaveProperty("/SigFlags");
  });

  test("part 1 with an intent that is not RGB: no colors of annotations (6.5.3)", async () => {
    expect((await readArchived(annotationsPdf(), "1b")).text).toMatch(/\/IC\b/);
  });
});

describe("layers (6.1.13, 6.9)", () => {
  test("part 2: names that differ, no automatic states, an order that has all", async () => {
    const { json } = await readArchived(layersPdf(), "2b");
    const properties = json.at(json.catalog, "OCProperties");
    const configurations = [
      json.at(properties, "D"),
      ...json.at(properties, "Configs").map((value: Json) => json.get(value)),
    ];
    const names = configurations.map((configuration: Json) => configuration["/Name"]);
    expect(names.every((name: string) => /^u:./.test(name))).toBe(true);
    expect(new Set(names).size).toBe(4);
    for (const configuration of configurations) expect(configuration).not.toHaveProperty("/AS");
    expect(new Set(json.at(properties, "D", "Order"))).toEqual(new Set(json.at(properties, "OCGs")));
  });

  test("part 1: hidden content is gone before the layers are", async () => {
    const { json, text } = await readArchived(layersPdf(), "1b");
    expect(json.catalog).not.toHaveProperty("/OCProperties");
    const drawn = (x: number) => new RegExp(`rg ${x} 100 20 20 re\\s+(f|n)`).exec(text)?.[1];
    // Shown where the layers are: on; off; "all on" of one on and one off; not off.
    expect([0, 30, 60, 90].map(drawn)).toEqual(["f", "n", "n", "f"]);
    expect(text).toMatch(/300 150 l\s+n/);
    expect(text).toContain("1 0 0 1 9 9 cm");
    expect(json.annotations(1)).toEqual([]);
    const resources = json.get(json.pages[0])["/Resources"];
    expect(json.at(resources, "XObject", "Shown")["/Length"]).toBeGreaterThan(0);
    expect(json.at(resources, "XObject", "Hidden")["/Length"]).toBe(0);
    expect(text).not.toMatch(/\/OC \//);
  });
});

describe("attachments (6.1.11, 6.8)", () => {
  test("part 1 has none", async () => {
    const { bytes, text } = await readArchived(attachmentsPdf(), "1b");
    expect(attachedTo(bytes).size).toBe(0);
    expect(text).not.toContain("/EF");
    expect(text).not.toContain("/EmbeddedFile");
  });

  test("part 2: PDFs become PDF/A, all else goes", async () => {
    const { bytes, json } = await readArchived(attachmentsPdf(), "2b");
    const files = attachedTo(bytes);
    expect([...files.keys()]).toEqual(["nested.pdf"]);
    expect(files.get("nested.pdf")).toMatch(/^%PDF-1\.7[\s\S]*<pdfaid:part>2</);
    expect(json.annotations(1)[0]["/Subtype"]).toBe("/Stamp");
    // If the validator rejected an attachment, all attachments are removed.
    expect(attachedTo((await readArchived(attachmentsPdf(), "2b", "6.8-5")).bytes).size).toBe(0);
  });

  test.each(["1b", "2b"] as const)("%s: the icon of a removed file stays, as a stamp", async (level) => {
    const { json } = await readArchived(pinnedPdf(), level);
    const [pin] = json.annotations(1);
    expect(pin).toMatchObject({ "/Subtype": "/Stamp", "/AP": { "/N": expect.any(String) } });
    expect(pin).not.toHaveProperty("/FS");
  });

  test("part 3: a specification inside an annotation is associated with the document, too", async () => {
    const { json } = await readArchived(pinnedPdf(), "3b");
    expect(json.at(json.catalog, "AF")).toEqual([json.annotations(1)[0]["/FS"]]);
  });

  test("part 3: all stay, with names, a type, a date and a relation, associated with the document", async () => {
    const { bytes, json } = await readArchived(attachmentsPdf(), "3b");
    expect([...attachedTo(bytes).keys()].sort()).toEqual(["nested.pdf", "note", "table.csv"]);
    const specifications = json.dictionaries.filter((dictionary) => "/EF" in dictionary);
    expect(specifications).toHaveLength(3);
    expect(json.at(json.catalog, "AF")).toHaveLength(3);
    const types = specifications.map((specification) => {
      expect(specification).toMatchObject({ "/Type": "/Filespec", "/AFRelationship": "/Unspecified" });
      expect(specification["/UF"]).toBe(specification["/F"]);
      const file = json.at(specification, "EF", "F");
      expect(json.at(file, "Params", "ModDate")).toBe("u:D:20240102030405Z");
      return file["/Subtype"];
    });
    expect(types.sort()).toEqual(["/application/octet-stream", "/application/pdf", "/text/csv"]);
  });
});

describe("metadata (6.6, 6.7)", () => {
  const packetOf = (text: string) =>
    /<\?xpacket begin[\s\S]*?<\?xpacket end="w"\?>/.exec(Buffer.from(text, "latin1").toString("utf8"))![0];

  test.each(["1b", "2u", "3b"] as const)("%s: the level, and what the information dictionary says", async (level) => {
    const { json, text } = await readArchived(metadataPdf(), level);
    const packet = packetOf(text);
    expect(packet).toContain(`<pdfaid:part>${level[0]}</pdfaid:part>\n<pdfaid:conformance>${level[1]!.toUpperCase()}<`);
    expect(packet).not.toMatch(/xpacket begin=[^>]*(bytes|encoding)=/);
    const info = json.get(json.json.qpdf[1].trailer.value["/Info"]);
    expect(info).toEqual({
      "/Title": "u:A (title) & <more>",
      "/Author": "u:É\ufffd",
      "/Creator": "u:Madeby",
      "/ModDate": "u:D:20240229101112+02'30'",
      "/Trapped": "/False",
      "/Custom": "u:kept",
    });
    expect(packet).toContain('<rdf:li xml:lang="x-default">A (title) &#38; &#60;more&#62;</rdf:li>');
    expect(packet).toContain("<dc:creator><rdf:Seq><rdf:li>É\ufffd</rdf:li></rdf:Seq></dc:creator>");
    expect(packet).toContain("<xmp:ModifyDate>2024-02-29T10:11:12+02:30<");
    expect(packet).not.toMatch(/Keywords|dc:description/);
  });

  test("of the document's own packet what is declared and well formed stays", async () => {
    const packet = packetOf((await readArchived(metadataPdf(), "2b")).text);
    expect(packet).toContain("<dc:subject><rdf:Bag><rdf:li>one &#38; two</rdf:li></rdf:Bag></dc:subject>");
    expect(packet).toContain("<xmpRights:Marked>True</xmpRights:Marked>");
    expect(packet).toMatch(/<inv:Number[^>]*>17<\/inv:Number>/);
    expect(packet).toMatch(/<inv:Kind[^>]*>CREDIT<\/inv:Kind>/);
    expect(packet).toContain("<xmp:CreateDate>2024-01-02</xmp:CreateDate>");
    expect(packet).toContain("<pdf:Producer>A &#60; B</pdf:Producer>");
    expect(packet.match(/<xmp:ModifyDate>/g)).toHaveLength(1);
    expect(packet).toContain("pdfaSchema:namespaceURI");
    expect(packet).not.toMatch(/dc:publisher|Of the packet/);
    // Plain text without an extension schema gets one.
    expect(packet).toMatch(/<odd:Thing[^>]*>1<\/odd:Thing>/);
    expect(packet).toMatch(/<odd:Other[^>]*>x<\/odd:Other>/);
    expect(packet.match(/<pdfaSchema:prefix[^>]*>odd</g)).toHaveLength(1);
    expect(packet.match(/<pdfaProperty:name[^>]*>(Thing|Other)</g)).toHaveLength(2);
  });

  test("where a document comes from stays, as far as the level knows the parts", async () => {
    for (const level of ["1b", "2b"] as const) {
      const packet = packetOf((await readArchived(metadataPdf(MANAGED_PACKET), level)).text);
      expect(packet).toContain("<xmpMM:DocumentID>xmp.did:1</xmpMM:DocumentID>");
      expect(packet).toMatch(/<xmpMM:InstanceID[^>]*>uuid:2<\/xmpMM:InstanceID>/);
      expect(packet).toMatch(/<xmpMM:OriginalDocumentID[^>]*>uuid:3<\/xmpMM:OriginalDocumentID>/);
      expect(packet).toContain(
        "<stRef:instanceID>uuid:4</stRef:instanceID><stRef:documentID>uuid:5</stRef:documentID>",
      );
      expect(packet).toMatch(/<stEvt:action>saved<.*<stEvt:when>2020-01-01T10:00:00Z<.*<stEvt:action>converted</);
      // Properties of a standard schema get no extension schema.
      expect(/<pdfaProperty:name>InstanceID</.test(packet)).toBe(level === "1b");
      expect(packet).not.toMatch(/stRef:originalDocumentID|stEvt:changed|<photoshop:|my:List/);
    }
  });

  test("nothing of it where a validator refused it", async () => {
    const packet = packetOf((await readArchived(metadataPdf(), "2b", "6.6.2.3.1-1")).text);
    expect(packet).not.toMatch(/inv:|dc:subject/);
    expect(packet).toContain("dc:title");
  });

  test.each([
    [
      "entities",
      `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x:xmpmeta xmlns:x="adobe:ns:meta/">&b;</x:xmpmeta>`,
    ],
    ["depth", `<x:xmpmeta xmlns:x="adobe:ns:meta/">${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}</x:xmpmeta>`],
    ["damage", `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><unclosed></x:xmpmeta>`],
    ["nothing", ""],
  ])("a hostile packet says nothing: %s", async (_, packet) => {
    const { text } = await readArchived(metadataPdf(packet), "2b");
    expect(packetOf(text)).toContain("<pdfaid:part>2<");
    expect(text).not.toMatch(/aaaa|unclosed/);
  });

  test("metadata of pages go", async () => {
    expect((await readArchived(metadataPdf(), "2b")).page(1)).not.toHaveProperty("/Metadata");
  });
});

describe("colors (6.2.2 to 6.2.4)", () => {
  const intentOf = ({ json }: Archived) => json.at(json.catalog, "OutputIntents", 0);
  const componentsOf = ({ json }: Archived, space: Json): number => {
    expect(json.at(space, 0)).toBe("/ICCBased");
    return json.at(space, 1)["/N"];
  };

  test.each<[string, "rgb" | "cmyk" | "both", LevelName, number]>([
    ["device RGB: sRGB", "rgb", "2b", 3],
    ["device CMYK: CMYK", "cmyk", "2b", 4],
    ["both: sRGB", "both", "2b", 3],
    ["part 1", "cmyk", "1b", 4],
  ])("the intent fits the document; %s", async (_, inks, level, components) => {
    const result = await readArchived(colorsPdf(inks), level);
    expect(result.json.at(result.json.catalog, "OutputIntents")).toHaveLength(1);
    expect(intentOf(result)).toMatchObject({ "/Type": "/OutputIntent", "/S": "/GTS_PDFA1" });
    expect(result.json.at(intentOf(result), "DestOutputProfile")["/N"]).toBe(components);
  });

  test("a space that the intent says nothing of says itself what it is, everywhere", async () => {
    const result = await readArchived(colorsPdf("both"), "2b");
    const spaces = result.json.at(result.page(1)["/Resources"], "ColorSpace");
    expect(componentsOf(result, spaces["/DefaultCMYK"])).toBe(4);
    for (const name of ["/Ink", "/Again", "/Mix"])
      expect(componentsOf(result, result.json.at(spaces[name], 2))).toBe(4);
    expect(componentsOf(result, result.json.at(spaces["/Channels"], 4, "Process", "ColorSpace"))).toBe(4);
    expect(componentsOf(result, spaces["/Alias"])).toBe(4);
    expect(result.json.at(spaces["/Table"], 1)).toBe("/DeviceRGB");
    expect(spaces).not.toHaveProperty("/DefaultRGB");
  });

  test("a group is blended in the space that it was, with an intent of another", async () => {
    const result = await readArchived(colorsPdf("rgb"), "2b");
    expect(componentsOf(result, result.json.at(result.page(1)["/Group"], "CS"))).toBe(4);
  });

  test("profiles have the number of components that is said, and in part 1 version 2", async () => {
    for (const level of ["1b", "2b"] as const) {
      const result = await readArchived(colorsPdf("rgb"), level);
      const spaces = result.json.at(result.page(1)["/Resources"], "ColorSpace");
      expect(["/Newer", "/Wrong", "/Plain"].map((name) => componentsOf(result, spaces[name]))).toEqual([3, 3, 1]);
      // The signature is 28 bytes after the version (ICC.1, 7.2).
      const versions = [...result.text.matchAll(/acsp/g)].map(({ index }) => result.text.charCodeAt(index - 28));
      expect(versions.length).toBeGreaterThanOrEqual(3);
      expect(versions.includes(4)).toBe(level === "2b");
    }
  });

  test(
    "spot colors of a mixture are described; equal names mean the same " + "where a validator asked for it (6.2.4.4)",
    async () => {
      const result = await readArchived(colorsPdf("cmyk"), "2b", "6.2.4.4-2");
      const { json } = result;
      const spaces = json.at(result.page(1)["/Resources"], "ColorSpace");
      const colorants = json.at(spaces["/Mix"], 4, "Colorants");
      expect(Object.keys(colorants)).toEqual(["/Gold", "/Silver"]);
      expect(json.at(colorants, "Silver", 3)).toMatchObject({ "/FunctionType": 4, "/Domain": [0, 1] });
      expect(result.text).toMatch(/\{ 0 {2}?exch\s+0 0 \}|\{ 0 exch\s+0 0\s+\}/);
      expect(json.at(spaces["/Again"])[3]).toBe(json.at(spaces["/Ink"])[3]);
    },
  );
});

test("a glyph has the resources that it uses, and no way back to its font", async () => {
  const { json, page } = await readArchived(type3Pdf(), "3b");
  const font = json.at(page(1)["/Resources"], "Font", "T");
  expect(Object.keys(json.at(font, "Resources"))).toEqual(["/XObject"]);
  expect(Object.keys(json.at(font, "Resources", "XObject"))).toEqual(["/Own"]);
});
