// The routes of Gotenberg 8 as plans of our own operations.

import { stem } from "../document/contract/file-name.ts";
import type { ReceivedFile } from "../service/storage/file.ts";
import { PAGE_FIELDS, PICTURE_FIELDS, picturing, printing, URL_FIELDS } from "./chromium.ts";
import { type FieldTable, readTable } from "./fields.ts";
import { markSteps } from "./marks.ts";
import { OFFICE_EXTENSIONS, OFFICE_FIELDS, officeJob } from "./office.ts";
import {
  BOOKMARK_FIELDS,
  EMBED_FIELDS,
  ENCRYPTION_FIELDS,
  embedding,
  encryption,
  FLATTENING,
  FLATTENING_FIELDS,
  FORMAT_FIELDS,
  MARK_FIELDS,
  METADATA_FIELDS,
  metadataSteps,
  OPTIMIZATION_FIELDS,
  OPTIMIZING,
  RESULT_FIELDS,
  ROTATION_FIELDS,
  resultSteps,
  rotation,
} from "./pdf-steps.ts";
import type { ForeignForm, Plan, StepBody } from "./plan.ts";

export interface ForeignRoute {
  readonly path: string;
  /** The fields that the route reads. It ignores others, as Gotenberg does. */
  readonly fields: FieldTable;
  /** Returns the steps of a request. Adds errors to the form. */
  plan(form: ForeignForm): Plan | Promise<Plan>;
  /** True if the response is the answers about the documents. @default the response is the outputs of the steps */
  readonly reads?: boolean;
}

const PDF = ["pdf"];
const MARKUP = /^(header|footer)\.html$/i;

/** Files that steps need besides the documents. */
const furtherOf = (form: ForeignForm): readonly ReceivedFile[] => [
  ...form.filesOf("embeds"),
  ...form.filesOf("watermark"),
  ...form.filesOf("stamp"),
];

/** Names the parts of a document like Gotenberg: `name_0.pdf`. The parts of several documents are numbered together. */
function partsOf([first, ...others]: readonly ReceivedFile[], nameOf: (file: ReceivedFile) => string) {
  const name = first && others.length === 0 ? nameOf(first) : "document";
  return { nameOf: (index: number) => `${name}_${index}.pdf` };
}

const keepingNames = (documents: readonly ReceivedFile[], suffix = "") => ({
  nameOf: (index: number) =>
    documents.length > 1 && documents[index] ? `${documents[index].name}${suffix}` : undefined,
});

const office: ForeignRoute = {
  path: "/forms/libreoffice/convert",
  fields: { ...OFFICE_FIELDS, ...RESULT_FIELDS, ...FLATTENING_FIELDS },
  plan(form) {
    const documents = form.documents(OFFICE_EXTENSIONS);
    const { steps, isMerged } = officeJob(form);
    const { steps: further, isSplit } = resultSteps(form);
    const names = isSplit ? partsOf(documents, ({ name }) => name) : isMerged ? {} : keepingNames(documents, ".pdf");
    return { documents, steps: [...steps, ...further], further: furtherOf(form), ...names };
  },
};

type PageSource = "url" | "html" | "markdown";

/** Returns the document of a page, and the fields for the files that belong to it. */
function pageOf(form: ForeignForm, source: PageSource) {
  const isMarkdown = source === "markdown";
  const page = source === "url" ? [] : form.required("index.html");
  if (source === "url") form.requireField("url");
  const others = form.all.filter((file) => !page.includes(file) && !MARKUP.test(file.name));
  const texts = isMarkdown ? form.documents(["md"]) : [];
  const assets = source === "url" ? [] : others.filter((file) => !texts.includes(file));
  const namesOf = (files: readonly ReceivedFile[]) => files.map(({ name }) => name);
  return {
    ...(source === "url" ? { documents: [], url: form.values.get("url")?.[0] ?? "" } : { documents: page }),
    further: [...assets, ...texts],
    fields: {
      ...(assets.length > 0 ? { asset_files: namesOf(assets) } : {}),
      ...(texts.length > 0 ? { markdown_files: namesOf(texts) } : {}),
    },
  };
}

const printed = (source: PageSource): ForeignRoute => ({
  path: `/forms/chromium/convert/${source}`,
  fields: { ...(source === "url" ? URL_FIELDS : {}), ...PAGE_FIELDS, ...RESULT_FIELDS },
  async plan(form) {
    const { fields, further, ...page } = pageOf(form, source);
    const body = { ...(await printing(form, source === "url")), ...fields };
    const { steps, isSplit } = resultSteps(form);
    const names = isSplit ? { nameOf: (index: number) => `index_${index}.pdf` } : {};
    return { ...page, steps: [{ pdf: body }, ...steps], further: [...further, ...furtherOf(form)], ...names };
  },
});

const pictured = (source: PageSource): ForeignRoute => ({
  path: `/forms/chromium/screenshot/${source}`,
  fields: { ...(source === "url" ? URL_FIELDS : {}), ...PICTURE_FIELDS },
  plan(form) {
    const { fields, further, ...page } = pageOf(form, source);
    const [endpoint, body] = picturing(form, source === "url");
    return { ...page, steps: [{ [endpoint]: { ...body, ...fields } }], further };
  },
});

/** @param steps returns the steps for each PDF */
const pdfRoute = (
  name: string,
  fields: FieldTable,
  steps: (form: ForeignForm) => readonly StepBody[],
): ForeignRoute => ({
  path: `/forms/pdfengines/${name}`,
  fields,
  plan(form) {
    const planned = steps(form);
    const documents = form.documents(PDF);
    return { documents, steps: planned, further: furtherOf(form), ...keepingNames(documents) };
  },
});

const merging: ForeignRoute = {
  path: "/forms/pdfengines/merge",
  fields: { ...RESULT_FIELDS, ...FLATTENING_FIELDS, ...BOOKMARK_FIELDS },
  plan(form) {
    const { bookmarks } = readTable(BOOKMARK_FIELDS, form.values, form.errors);
    const outline: readonly StepBody[] = bookmarks?.length ? [{ "pdf-with-bookmarks": { bookmarks } }] : [];
    const documents = form.documents(PDF);
    const { steps } = resultSteps(form, { before: outline, isWhole: true });
    return { documents, steps: [{ "merged-pdf": {} }, ...steps], further: furtherOf(form) };
  },
};

const splitting: ForeignRoute = {
  path: "/forms/pdfengines/split",
  fields: { ...RESULT_FIELDS, ...FLATTENING_FIELDS },
  plan(form) {
    for (const name of ["splitMode", "splitSpan"]) form.requireField(name);
    const documents = form.documents(PDF);
    const { steps, isSplit } = resultSteps(form);
    const names = isSplit ? partsOf(documents, ({ name }) => stem(name)) : keepingNames(documents);
    return { documents, steps, further: furtherOf(form), ...names };
  },
};

const pdfRoutes: readonly ForeignRoute[] = [
  pdfRoute("flatten", {}, () => FLATTENING),
  pdfRoute("optimize", OPTIMIZATION_FIELDS, ({ values, errors }) => {
    readTable(OPTIMIZATION_FIELDS, values, errors);
    return [OPTIMIZING];
  }),
  pdfRoute("convert", FORMAT_FIELDS, ({ values, errors }) => {
    const { pdfa } = readTable(FORMAT_FIELDS, values, errors);
    if (!pdfa && !values.get("pdfua")?.[0]) errors.add("either 'pdfa' or 'pdfua' form fields must be provided");
    return [{ pdfa: { output_type: pdfa } }];
  }),
  pdfRoute("metadata/write", METADATA_FIELDS, (form) => {
    form.requireField("metadata");
    return metadataSteps(readTable(METADATA_FIELDS, form.values, form.errors).metadata, form.errors);
  }),
  pdfRoute("bookmarks/write", { bookmarks: BOOKMARK_FIELDS.bookmarks }, (form) => {
    form.requireField("bookmarks");
    const { bookmarks } = readTable({ bookmarks: BOOKMARK_FIELDS.bookmarks }, form.values, form.errors);
    return bookmarks?.length ? [{ "pdf-with-bookmarks": { bookmarks } }] : [];
  }),
  pdfRoute("rotate", ROTATION_FIELDS, (form) => {
    form.requireField("rotateAngle");
    return rotation(readTable(ROTATION_FIELDS, form.values, form.errors));
  }),
  pdfRoute("encrypt", ENCRYPTION_FIELDS, ({ values, errors }) => {
    const sent = readTable(ENCRYPTION_FIELDS, values, errors);
    if (!sent.userPassword && !sent.ownerPassword) errors.add("a 'userPassword' or 'ownerPassword' is required");
    return encryption(sent, errors);
  }),
  pdfRoute("embed", EMBED_FIELDS, (form) => {
    const { embedsMetadata } = readTable(EMBED_FIELDS, form.values, form.errors);
    return form.filesOf("embeds").map(({ name }) => embedding(name, embedsMetadata?.[name]));
  }),
  ...(["watermark", "stamp"] as const).map((kind) => {
    const fields = Object.fromEntries(Object.entries(MARK_FIELDS).filter(([name]) => name.startsWith(kind)));
    return pdfRoute(kind, fields, (form) => {
      form.requireField(`${kind}Source`);
      return markSteps(form, kind);
    });
  }),
  { ...pdfRoute("metadata/read", {}, () => []), reads: true },
];

const SOURCES: readonly PageSource[] = ["url", "html", "markdown"];

export const FOREIGN_ROUTES: readonly ForeignRoute[] = [
  office,
  ...SOURCES.map(printed),
  ...SOURCES.map(pictured),
  ...[merging, splitting, ...pdfRoutes],
];
