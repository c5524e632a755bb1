// Lists all endpoints and routes for the API descriptions (OpenAPI, MCP, docs). A path that is not listed here has no
// documentation.
import { endpoints, routes } from "../endpoints/index.ts";
import { ASYNCHRONOUS, describeRequestStatus } from "../service/http/async/job-description.ts";
import { WEBHOOKS } from "../service/http/async/webhook-description.ts";
import { CLIENTS, describeUsage } from "../service/http/clients/client-description.ts";
import { describeResource } from "../service/http/files/resource-description.ts";
import { describeUpload, describeUploads } from "../service/http/files/tus/description.ts";
import {
  describeDescription,
  describeOperationList,
  describeReadiness,
  healthDescriptions,
} from "../service/http/health/service-description.ts";
import { describeAddress, describeAgents, describeNewAddress } from "../service/http/mcp/description.ts";
import type { Served } from "../service/http/openapi/document.ts";
import { IDEMPOTENCY } from "../service/http/pipeline/idempotency-description.ts";
import { INCLUDED_INFO } from "../service/http/responses/file-info.ts";
import { docsDescriptions } from "../service/reference/docs.ts";
import { workbenchDescriptions } from "../service/reference/workbench.ts";
import { pagesDescriptions } from "../service/views/description.ts";

export const apiDescription: Served = {
  endpoints,
  routes,
  paths: [
    ...[describeResource, ...pagesDescriptions, describeUploads, describeUpload, describeUsage],
    ...[describeRequestStatus, describeNewAddress, describeAddress, describeAgents],
    ...[...healthDescriptions, describeReadiness, describeDescription, describeOperationList],
    ...[...docsDescriptions, ...workbenchDescriptions],
  ],
  ofPosts: [IDEMPOTENCY, CLIENTS, ASYNCHRONOUS, WEBHOOKS, INCLUDED_INFO],
};
