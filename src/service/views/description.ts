// Describes the paths of page images.

import type { Parameters } from "../../document/contract/parameter.ts";
import { MEDIA_TYPES } from "../../operations/rasterize-pdf.ts";
import { describeParameter } from "../http/contract/described.ts";
import {
  BINARY,
  type ContentByType,
  type Describe,
  EXAMPLE_INPUT,
  FILE_ID,
  type OperationDescription,
  type ParametersByName,
} from "../http/contract/description.ts";
import {
  busy,
  crashed,
  fieldRequired,
  needsTooMuchMemory,
  noSuchEndpoint,
  noSuchFile,
  noSuchPage,
  notAPdf,
  outOfRange,
  passwordProtected,
  type ServiceError,
  timedOut,
  tooComplex,
  unsupportedFile,
  wrongType,
} from "../http/contract/errors.ts";
import { CONTENT_SEARCH_FIELDS } from "./iiif/content-search.ts";
import { PICTURE_FIELDS } from "./page-image-route.ts";
import { SEARCH_FIELDS } from "./text/text-routes.ts";

const DOCUMENT_ERRORS = [
  ...[wrongType(), notAPdf(), passwordProtected(), noSuchFile(), busy()],
  ...[tooComplex(), unsupportedFile(), needsTooMuchMemory(), crashed(), timedOut()],
];
const PAGE_ERRORS = [...DOCUMENT_ERRORS, noSuchPage()];

const ID = { id: { description: "Id of an input or output that is a PDF.", schema: FILE_ID, example: EXAMPLE_INPUT } };
const PAGE = { page: { description: "Page number, from 1.", schema: { type: "integer", minimum: 1 }, example: 1 } };
const part = (description: string, example: string) => ({ description, schema: { type: "string" }, example });
const PICTURE_PARTS: ParametersByName = {
  region: part("Part of the page at its full size: `full`, `square`, `x,y,w,h`, `pct:x,y,w,h`.", "full"),
  size: part("Size of the picture: `max`, `w,`, `,h`, `w,h`, `!w,h`, `pct:n`; with `^` also enlarged.", "max"),
  rotation: part("`0`, `90`, `180` or `270` degrees, clockwise; with `!` before it mirrored.", "0"),
  quality: part("`default`, `color`, `gray` or `bitonal`.", "default"),
  format: part("`jpg`, `png`, `tif` or `gif`.", "jpg"),
};
const CONDITIONS: ParametersByName = { "If-None-Match": { description: "ETag that the response must not have." } };
const ENTITY: ParametersByName = {
  ETag: { description: "Entity tag of the response." },
  "Cache-Control": { description: "For how long it may be shown again.", example: "private, max-age=3600" },
};
const LINKED: ParametersByName = {
  ...ENTITY,
  Link: { description: "The canonical address, the profile, or the context." },
  "Access-Control-Allow-Origin": { description: "`*`: web pages of any origin can read the response.", example: "*" },
};
const UNCHANGED = { description: "The ETag matches If-None-Match." };

const queryOf = (fields: Parameters): ParametersByName =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { description, required, ...parameter } = describeParameter(name, field);
      const fallback = parameter.default === undefined ? {} : { default: parameter.default };
      return [name, { description, schema: { ...parameter.schema, ...fallback }, required }];
    }),
  );

interface About extends Pick<OperationDescription, "id" | "summary"> {
  readonly query?: ParametersByName;
  readonly headers: ParametersByName;
  readonly content: ContentByType;
  readonly errors: readonly ServiceError[];
}

const get = ({ headers, content, errors, ...about }: About): OperationDescription => ({
  ...{ method: "get", tag: "Pictures", ...about },
  headers: CONDITIONS,
  responses: { 200: { description: "Done.", headers, content }, 304: UNCHANGED },
  errors,
});

/** Describes the CORS preflight request of a browser. */
const preflight = (id: string): OperationDescription => ({
  ...{ method: "options", id: `preflight-${id}`, tag: "Pictures" },
  summary: "Tells browsers that pages of any origin may send the request.",
  responses: { 204: { description: "They may." } },
  errors: [],
});

const pictures = (...types: readonly string[]): ContentByType =>
  Object.fromEntries(types.map((type) => [type, { schema: { ...BINARY, contentMediaType: type } }]));
const LINKED_DATA: ContentByType = {
  "application/json": { schema: { type: "object" } },
  "application/ld+json": { schema: { type: "object" } },
};

const shortForm =
  (format: keyof typeof PICTURE_FIELDS): Describe =>
  () => ({
    path: `/resource/{id}/pages/{page}.${format}`,
    section: "page-images",
    placeholders: { ...ID, ...PAGE },
    operations: [
      get({
        id: `get-page-${format}`,
        summary: `Returns a page of a stored PDF as a ${format.toUpperCase()} picture.`,
        query: queryOf(PICTURE_FIELDS[format]),
        headers: ENTITY,
        content: pictures(MEDIA_TYPES[format]),
        errors: [...PAGE_ERRORS, outOfRange("width", "0")],
      }),
    ],
  });

const textOf = (type: string): ContentByType => ({ [type]: { schema: { type: "string" } } });
const BOX = { type: "array", items: { type: "number" }, minItems: 4, maxItems: 4 };
const SIZED = { page: { type: "integer", minimum: 1 }, width: { type: "number" }, height: { type: "number" } };
const TEXT = { type: "string" };
const COUNT = { type: "integer", minimum: 0 };
const objectOf = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  ...{ type: "object", properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const listOf = (items: object) => ({ type: "array", items });
const BLOCK = objectOf({ kind: TEXT, level: { type: "integer", minimum: 1 }, box: BOX, text: TEXT }, ["level"]);
const PAGE_TEXT = objectOf({
  ...SIZED,
  blocks: listOf(BLOCK),
  words: listOf(objectOf({ text: TEXT, box: BOX, line: COUNT })),
});
const HIT = objectOf({ ...SIZED, boxes: listOf(BOX), before: TEXT, match: TEXT, after: TEXT });
const RESULT = objectOf(
  { query: TEXT, total: COUNT, offset: COUNT, hits: listOf(HIT), next: { type: "string", format: "uri" } },
  ["next"],
);

const FORMS = { txt: "", md: " as Markdown", json: " with the places of words" } as const;

const pageText =
  (format: "txt" | "md" | "json", content: ContentByType): Describe =>
  () => ({
    path: `/resource/{id}/pages/{page}.${format}`,
    section: "page-text",
    placeholders: { ...ID, ...PAGE },
    operations: [
      get({
        id: `get-page-${format}`,
        summary: `Returns the text of a page of a stored PDF${FORMS[format]}.`,
        ...{ headers: ENTITY, content, errors: PAGE_ERRORS },
      }),
    ],
  });

const describeSearch: Describe = () => ({
  path: "/resource/{id}/search",
  section: "search",
  placeholders: ID,
  operations: [
    get({
      id: "search-pages",
      summary: "Searches the text of a stored PDF.",
      query: queryOf(SEARCH_FIELDS),
      headers: ENTITY,
      content: { "application/json": { schema: RESULT } },
      errors: [...DOCUMENT_ERRORS, fieldRequired("q"), outOfRange("limit", "0")],
    }),
  ],
});

const describeContentSearch =
  (name: string, version: string): Describe =>
  () => ({
    path: `/iiif/{id}/${name}`,
    section: "iiif",
    placeholders: ID,
    operations: [
      get({
        id: `content-${name}`,
        summary: `Searches a stored PDF with the IIIF Content Search API ${version}.`,
        query: queryOf(CONTENT_SEARCH_FIELDS),
        ...{ headers: LINKED, content: LINKED_DATA },
        errors: [...DOCUMENT_ERRORS, fieldRequired("q"), outOfRange("page", "0")],
      }),
      preflight(`content-${name}`),
    ],
  });

const describeImage: Describe = () => ({
  path: "/iiif/{id}%3A{page}",
  section: "iiif",
  placeholders: { ...ID, ...PAGE },
  operations: [
    {
      ...{ method: "get", id: "get-image", tag: "Pictures" },
      summary: "Redirects to the information about a page as an image.",
      responses: {
        200: { description: "The information, for clients that follow the redirect.", content: LINKED_DATA },
        303: { description: "The information is elsewhere.", headers: { Location: { description: "Its address." } } },
      },
      errors: PAGE_ERRORS,
    },
    preflight("image"),
  ],
});

const describeInformation: Describe = () => ({
  path: "/iiif/{id}%3A{page}/info.json",
  section: "iiif",
  placeholders: { ...ID, ...PAGE },
  operations: [
    get({
      id: "get-image-information",
      summary: "Describes a page as an image of the IIIF Image API 3.0.",
      ...{ headers: LINKED, content: LINKED_DATA, errors: PAGE_ERRORS },
    }),
    preflight("image-information"),
  ],
});

const describePageImage: Describe = () => ({
  path: "/iiif/{id}%3A{page}/{region}/{size}/{rotation}/{quality}.{format}",
  section: "iiif",
  placeholders: { ...ID, ...PAGE, ...PICTURE_PARTS },
  operations: [
    get({
      id: "get-image-picture",
      summary: "Returns a page, or a part of it, as a picture of the IIIF Image API 3.0.",
      headers: LINKED,
      content: pictures(MEDIA_TYPES.jpg, MEDIA_TYPES.png, MEDIA_TYPES.tif, MEDIA_TYPES.gif),
      errors: [...PAGE_ERRORS, outOfRange("size", "9999,")],
    }),
    preflight("image-picture"),
  ],
});

const describeManifest: Describe = () => ({
  path: "/iiif/{id}/manifest.json",
  section: "iiif",
  placeholders: ID,
  operations: [
    get({
      id: "get-manifest",
      summary: "Describes a stored PDF as a manifest of the IIIF Presentation API 3.0.",
      ...{ headers: LINKED, content: LINKED_DATA, errors: [...DOCUMENT_ERRORS, noSuchEndpoint()] },
    }),
    preflight("manifest"),
  ],
});

export const pagesDescriptions: readonly Describe[] = [
  ...[shortForm("png"), shortForm("jpg")],
  ...[pageText("txt", textOf("text/plain")), pageText("md", textOf("text/markdown"))],
  ...[pageText("json", { "application/json": { schema: PAGE_TEXT } }), describeSearch],
  ...[describeContentSearch("search", "2.0"), describeContentSearch("search1", "1.0")],
  ...[describeImage, describeInformation, describePageImage, describeManifest],
];
