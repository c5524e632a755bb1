// Builds the client. `npm pack` in `client/` runs this script.
import { buildClient } from "./client/client-package.ts";

buildClient();
