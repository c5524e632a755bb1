// Describes asynchronous jobs: the request header that every POST accepts, and the path of the job status.

import { DELETE_TOKEN_HEADER } from "../clients/auth.ts";
import {
  type Describe,
  EXAMPLE_INPUT,
  EXAMPLE_OUTPUT,
  type Feature,
  type Json,
  json,
  type ParametersByName,
} from "../contract/description.ts";
import { busy, limitReached, noSuchRequest, notAPdf, notRequester } from "../contract/errors.ts";
import { INCLUDED_INFO } from "../responses/file-info.ts";
import { fileUrl } from "../responses/operation-response.ts";

export const EXAMPLE_REQUEST = "6f9a4d0e-3c1b-4e57-9a80-5f2f6c1d7b34";
const REQUEST_ID: Json = { type: "string", format: "uuid", description: "Id of the request." };

const ACCEPTED = json(
  { type: "object", properties: { requestId: REQUEST_ID }, required: ["requestId"] },
  { requestId: EXAMPLE_REQUEST },
);

export const ASYNCHRONOUS: Feature = {
  headers: {
    Prefer: {
      description:
        "`respond-async` accepts the request and runs it asynchronously. With `wait=20` in addition, the response is " +
        "that of the job if it ends within 20 s.",
      example: "respond-async",
    },
    "Response-Type": {
      description: "`requestId` does the same as `Prefer: respond-async`, with the status 200.",
      schema: { type: "string", enum: ["requestId"] },
    },
  },
  responses: {
    200: { description: "With `Response-Type: requestId`, the id of the request.", content: ACCEPTED },
    202: {
      description: "The request is accepted. Its response will be at the Location.",
      headers: {
        Location: { description: "Path of the status.", example: `/request-status/${EXAMPLE_REQUEST}`, required: true },
        "Retry-After": { description: "Seconds until there may be news.", schema: { type: "integer" }, example: 1 },
        "Preference-Applied": { description: "The part of Prefer that was followed.", example: "respond-async" },
      },
      content: ACCEPTED,
    },
  },
};

const TOKEN: ParametersByName = {
  [DELETE_TOKEN_HEADER]: { description: "Token in the response that accepted the request, instead of the key." },
};
const count = (description: string, minimum: number): Json => ({ type: "integer", minimum, description });
const object = (properties: Readonly<Record<string, Json>>, required: readonly string[]): Json => ({
  ...{ type: "object", properties, required },
});

export const STATUS: Json = {
  anyOf: [
    object(
      {
        ...{ requestId: REQUEST_ID, status: { const: "pending" } },
        phase: { type: "string", enum: ["waiting", "running"] },
        position: count("Place in the queue, from 1, while the request waits.", 1),
        pagesDone: count("Number of pages that are done, if it is known.", 0),
        pagesTotal: count("Number of all pages, if it is known.", 1),
        stepsDone: count("Number of completed steps, if the request has several.", 0),
        stepsTotal: count("Number of all steps, if the request has several.", 2),
      },
      ["requestId", "status", "phase"],
    ),
    {
      ...object({ requestId: REQUEST_ID, status: { const: "completed" } }, ["requestId", "status"]),
      description: "The response to the request, and the status.",
      additionalProperties: true,
    },
    object(
      {
        ...{ requestId: REQUEST_ID, status: { const: "failed" } },
        error: { type: "string", description: "One sentence." },
        errorStatus: count("Status that a synchronous request would have had.", 400),
      },
      ["requestId", "status", "error", "errorStatus"],
    ),
  ],
};

export const describeRequestStatus: Describe = ({ variant }, baseUrl) => {
  const completed = {
    ...{
      requestId: EXAMPLE_REQUEST,
      outputUrl: fileUrl(baseUrl, EXAMPLE_OUTPUT),
      outputId: EXAMPLE_OUTPUT,
      inputId: EXAMPLE_INPUT,
    },
    ...{ outputSize: 48_213, status: "completed" },
  };
  const failed = { requestId: EXAMPLE_REQUEST, status: "failed" };
  const failure = { ...failed, error: notAPdf().message, errorStatus: notAPdf().status };
  return {
    path: "/request-status/{id}",
    section: "asynchronous-jobs",
    placeholders: { id: { description: "Id of the request.", schema: REQUEST_ID, example: EXAMPLE_REQUEST } },
    operations: [
      {
        ...{ method: "get", id: "get-request-status", tag: "Service" },
        summary: "Returns the status of an asynchronous request, and finally its response.",
        headers: INCLUDED_INFO.headers!,
        responses: {
          200: {
            description: "The status; or its changes as they happen, for Accept: text/event-stream.",
            headers: {
              "Retry-After": { description: "Seconds until there may be news.", schema: { type: "integer" } },
            },
            content: {
              ...json(STATUS, completed),
              "text/event-stream": {
                schema: { type: "string", description: "Events called `status`, with the JSON as data." },
                example: `event: status\ndata: ${JSON.stringify(failure)}\n\n`,
              },
            },
          },
        },
        errors: [noSuchRequest(), limitReached("64 streams of a request", { "Retry-After": "5" }), busy()],
      },
      {
        ...{ method: "delete", id: "cancel-request", tag: "Service", needsKey: true },
        summary: "Cancels an asynchronous request, and deletes its files.",
        headers: variant === "keyed" ? TOKEN : {},
        responses: { 204: { description: "The request is canceled." } },
        errors: [noSuchRequest(), busy(), ...(variant === "keyed" ? [notRequester()] : [])],
      },
    ],
  };
};
