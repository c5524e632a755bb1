// Builds the client; `npm pack` in `client/` runs it.
import { buildClient } from "./client/client-package.ts";

buildClient();
