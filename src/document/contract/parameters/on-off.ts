// Boolean parameters.
import * as z from "zod";
import type { Kind } from "../parameter.ts";
import { wordFor } from "./choice.ts";

/** A boolean, written as `on` or `off`. */
export const onOff: Kind<boolean> = { ...wordFor({ on: true, off: false }, z.boolean()), control: "switch" };

/** A boolean, written as `true` or `false`. JSON clients can also send booleans. */
export const trueFalse: Kind<boolean> = wordFor({ true: true, false: false }, z.boolean());
