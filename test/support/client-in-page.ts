// Gives a page the client.
import { Pagewright } from "../../client/index.ts";

Object.assign(globalThis, { Pagewright });
