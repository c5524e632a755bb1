// Declares /delete, which removes stored files.
import { fieldRequired, noSuchFile, tooManyInputs } from "../http/errors.ts";
import { removeFiles } from "../http/removals.ts";
import type { Route } from "../http/route.ts";

const ids = { type: "string", description: "Ids of stored files, separated by commas." };
const list = { type: "array", items: { type: "string" } };
const body = (given: object) => ({ type: "object", properties: { ids: given }, required: ["ids"] });

export const deleteFiles: Route = {
  path: "/delete",
  summary: "Removes stored files.",
  body: () => ({
    "multipart/form-data": body(ids),
    "application/json": body({ oneOf: [ids, list] }),
    "application/x-www-form-urlencoded": body(ids),
  }),
  answer: { type: "object", properties: { deleted: list }, required: ["deleted"] },
  errors: [fieldRequired("ids"), tooManyInputs(), noSuchFile()],
  serve: removeFiles,
};
