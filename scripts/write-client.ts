// Writes the parts of the client that follow from the declarations of the endpoints: `client/core/operations.ts` with
// the types, and `client/cli/operation-schemas.ts` with the schemas for the command line and for agents.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "../src/endpoints/index.ts";
import { toolOf } from "../src/service/http/mcp/tools.ts";
import { declaredSource, operationsSource } from "./client/client-sources.ts";
import { root } from "./services/wrangler.ts";

const tools = endpoints.map(toolOf);
writeFileSync(join(root, "client/core/operations.ts"), operationsSource(tools));
writeFileSync(join(root, "client/cli/operation-schemas.ts"), declaredSource(tools));
