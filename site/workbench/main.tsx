// Entry point of the page. Shows the first view, and loads the description of the service.
import { render } from "preact";
import type { OperationList } from "../../src/service/http/contract/operation-list.ts";
import { readService } from "./model/operations.ts";
import { Store } from "./model/store.ts";
import { Inputs } from "./session/inputs.ts";
import { Jobs } from "./session/jobs.ts";
import { Keeper } from "./session/keeper.ts";
import { urlOf } from "./session/service.ts";
import { dropImpossible } from "./session/step-list.ts";
import { App } from "./views/app.tsx";

const store = new Store();
const inputs = new Inputs(store);
const jobs = new Jobs(store, inputs);
const keeper = new Keeper(store, inputs);

// Prevents the browser from opening a file that is dropped outside the drop zone.
for (const type of ["dragover", "drop"]) {
  document.addEventListener(type, (event) => {
    if ((event as DragEvent).dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}

takeKey();
addEventListener("hashchange", takeKey);
keeper.start();

render(<App {...{ store, inputs, jobs, keeper }} />, document.getElementById("page")!);

try {
  const response = await fetch(urlOf("operations.json"));
  if (!response.ok) throw new Error(`The list of operations has status ${response.status}.`);
  store.set({ service: readService((await response.json()) as OperationList) });
  dropImpossible(store);
  inputs.storeEarly();
} catch {
  store.set({ isLost: true, announcement: "The service does not answer." });
}

/**
 * Reads the API key from the fragment of the URL, which browsers never send. Removes the key from the URL, so that
 * neither the history nor a copied link contains it.
 */
function takeKey(): void {
  const [part, key] = /(?:^#|&)key=([^&]*)/.exec(location.hash) ?? [];
  if (part === undefined || key === undefined) return;
  const rest = location.hash.replace(part, "").replace(/^&/, "#");
  history.replaceState(history.state, "", location.pathname + location.search + rest);
  store.set({ apiKey: decoded(key).trim() });
  inputs.storeEarly();
}

/** @returns the text itself if it is not percent-encoded */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
