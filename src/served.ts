// Lists everything that the service answers, for its descriptions. A path that is not listed here is not described.
import { endpoints, routes } from "./endpoints/index.ts";
import { CLIENTS, describeUsage } from "./http/client-description.ts";
import { INCLUDED_INFO } from "./http/file-info.ts";
import { IDEMPOTENCY } from "./http/idempotency-description.ts";
import { ASYNCHRONOUS, describeRequestStatus } from "./http/job-description.ts";
import { describeAddress, describeAgents, describeNewAddress } from "./http/mcp/description.ts";
import type { Served } from "./http/openapi/document.ts";
import { describeResource } from "./http/resource-description.ts";
import { describeDescription, describeReadiness, healthDescriptions } from "./http/service-description.ts";
import { describeUpload, describeUploads } from "./http/tus/description.ts";
import { WEBHOOKS } from "./http/webhook-description.ts";
import { pagesDescriptions } from "./pages/description.ts";
import { docsDescriptions } from "./site/docs/docs.ts";
import { workbenchDescriptions } from "./site/workbench.ts";

export const apiDescription: Served = {
  endpoints,
  routes,
  paths: [
    ...[describeResource, ...pagesDescriptions, describeUploads, describeUpload, describeUsage],
    ...[describeRequestStatus, describeNewAddress, describeAddress, describeAgents],
    ...[...healthDescriptions, describeReadiness, describeDescription, ...docsDescriptions, ...workbenchDescriptions],
  ],
  ofPosts: [IDEMPOTENCY, CLIENTS, ASYNCHRONOUS, WEBHOOKS, INCLUDED_INFO],
};
