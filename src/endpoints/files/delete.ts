// Declares /delete, which deletes stored files.
import { EXAMPLE_INPUT, EXAMPLE_OUTPUT, FILE_ID, json } from "../../service/http/contract/description.ts";
import { fieldRequired, notOwner, tooManyInputs } from "../../service/http/contract/errors.ts";
import type { Route } from "../../service/http/contract/route.ts";
import { ALREADY_REMOVED, handleDelete, NOT_THERE, REMOVED } from "../../service/http/files/delete-files.ts";
import { errorsOfBody } from "../../service/http/requests/read-form.ts";

const ids = { type: "string", description: "Ids of stored files, separated by commas." };
const list = { type: "array", items: FILE_ID, minItems: 1 };
const body = (given: object) => ({ type: "object", properties: { ids: given }, required: ["ids"] });
const text = { ids: `${EXAMPLE_INPUT},${EXAMPLE_OUTPUT}` };

const ANSWER = {
  type: "object",
  properties: {
    deleted: { type: "array", items: FILE_ID },
    deletionResponses: {
      type: "object",
      additionalProperties: { type: "string", examples: [REMOVED, ALREADY_REMOVED, NOT_THERE] },
    },
  },
  required: ["deleted", "deletionResponses"],
};

export const deleteFiles: Route = {
  path: "/delete",
  bodyLimits: () => ({ files: 0, fileBytes: 0 }),
  describe: () => ({
    section: "delete",
    operations: [
      {
        ...{ method: "post", id: "delete", tag: "Files", needsKey: true },
        summary: "Removes stored files.",
        body: {
          "multipart/form-data": { schema: body(ids), example: text },
          "application/json": {
            schema: body({ anyOf: [list, ids] }),
            example: { ids: [EXAMPLE_INPUT, EXAMPLE_OUTPUT] },
          },
          "application/x-www-form-urlencoded": { schema: body(ids), example: text },
        },
        responses: {
          200: {
            description: "The ids of the files that were removed, and a sentence for each id.",
            content: json(ANSWER, {
              deleted: [EXAMPLE_INPUT],
              deletionResponses: { [EXAMPLE_INPUT]: REMOVED, [EXAMPLE_OUTPUT]: ALREADY_REMOVED },
            }),
          },
        },
        errors: [fieldRequired("ids"), tooManyInputs(), notOwner(), ...errorsOfBody("ids")],
      },
    ],
  }),
  serve: handleDelete,
};
