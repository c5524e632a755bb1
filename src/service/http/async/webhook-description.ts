// Describes the request header Webhook-Url, which every POST accepts, and the message that the service posts to this
// URL.
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Feature, Json } from "../contract/description.ts";
import { invalidHeader, noSigningSecret, outOfRange, requiresAsync } from "../contract/errors.ts";
import { EXAMPLE_REQUEST, STATUS } from "./job-description.ts";
import { WEBHOOK_URL_HEADER } from "./webhooks.ts";

const EXAMPLE_URL = "https://client.example.com/webhooks/pagewright";

const MESSAGE: Json = {
  type: "object",
  properties: {
    type: { type: "string", enum: ["job.completed", "job.failed"] },
    timestamp: { type: "string", format: "date-time", description: "Time at which the job ended." },
    data: { description: "The id of the request, and what its status is.", ...STATUS },
  },
  required: ["type", "timestamp", "data"],
};

export const WEBHOOKS: Feature = {
  headers: {
    [WEBHOOK_URL_HEADER]: {
      description: "URL to which the response of an asynchronous request is posted.",
      schema: { type: "string", format: "uri", maxLength: LIMITS.addressLength },
      example: EXAMPLE_URL,
    },
  },
  errors: [
    invalidHeader(WEBHOOK_URL_HEADER),
    outOfRange(WEBHOOK_URL_HEADER, "http://10.0.0.1/"),
    requiresAsync(WEBHOOK_URL_HEADER),
    noSigningSecret(),
  ],
  messages: {
    "job-ended": {
      summary: "The job of an asynchronous request has completed or failed.",
      headers: {
        "webhook-id": { description: "Id of the message, the same in each attempt.", required: true },
        "webhook-timestamp": { description: "Seconds since 1970, of this attempt.", required: true },
        "webhook-signature": { description: "Signatures as Standard Webhooks says.", required: true },
      },
      schema: MESSAGE,
      example: {
        type: "job.failed",
        timestamp: "2026-11-23T12:00:00.000Z",
        data: {
          requestId: EXAMPLE_REQUEST,
          status: "failed",
          error: "The input file is damaged or is not a PDF.",
          errorStatus: 400,
        },
      },
    },
  },
};
