// Holds the texts of the reference in the Worker, which has no file system: they are part of its bundle.
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
