// The list of all endpoints: what is not here is not served.
import type { Endpoint } from "../endpoint.ts";
import { bmp } from "./bmp.ts";
import { gif } from "./gif.ts";
import { html } from "./html.ts";
import { jpg } from "./jpg.ts";
import { pdf } from "./pdf.ts";
import { png } from "./png.ts";
import { tif } from "./tif.ts";

export const endpoints: readonly Endpoint[] = [bmp, gif, html, jpg, pdf, png, tif];
