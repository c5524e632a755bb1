// Imports the texts of the reference into the Worker's bundle, because a Worker has no file system.
import client from "../../../client/README.md";
import api from "../../../docs/api.md";
import compression from "../../../docs/compression.md";
import flattening from "../../../docs/flattening.md";
import limits from "../../../docs/limits.md";
import pdfa from "../../../docs/pdfa.md";
import layout from "./assets/layout.css";
import prose from "./assets/prose.css";
import script from "./assets/search.browser.js";

export { api, client, compression, flattening, layout, limits, pdfa, prose, script };
