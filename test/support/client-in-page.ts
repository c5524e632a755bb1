// Makes the client available to a page, as a global variable.
import { Pagewright } from "../../client/index.ts";

Object.assign(globalThis, { Pagewright });
