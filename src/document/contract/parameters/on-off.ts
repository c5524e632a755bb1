// Defines switches.
import * as z from "zod";
import type { Kind } from "../parameter.ts";
import { wordFor } from "./choice.ts";

/** True or false, written as `on` or `off`. */
export const onOff: Kind<boolean> = { ...wordFor({ on: true, off: false }, z.boolean()), control: "switch" };

/** True or false, written as `true` or `false`. JSON clients may also send booleans. */
export const trueFalse: Kind<boolean> = wordFor({ true: true, false: false }, z.boolean());
