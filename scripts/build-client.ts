// Builds the client; `npm pack` in `client/` runs it.
import { buildClient } from "./client-package.ts";

buildClient();
