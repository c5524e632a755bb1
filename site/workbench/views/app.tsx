// The root component of the page.
import { useLayoutEffect, useState } from "preact/hooks";
import type { Store } from "../model/store.ts";
import type { Inputs } from "../session/inputs.ts";
import type { Jobs } from "../session/jobs.ts";
import type { Keeper } from "../session/keeper.ts";
import { ApiKey } from "./api-key.tsx";
import { Code } from "./code.tsx";
import type { ViewContext } from "./components.tsx";
import { Earlier } from "./earlier.tsx";
import { Files } from "./files.tsx";
import { Form } from "./form/form.tsx";
import { Operations } from "./operations.tsx";
import { Stage } from "./result/stage.tsx";

interface AppProps {
  readonly store: Store;
  readonly inputs: Inputs;
  readonly jobs: Jobs;
  readonly keeper: Keeper;
}

export function App({ store, inputs, jobs, keeper }: AppProps) {
  const [state, setState] = useState(store.state);
  // A layout effect subscribes before any other code changes the state.
  useLayoutEffect(() => store.subscribe(() => setState(store.state)), [store]);
  const page: ViewContext = { state, store, inputs, jobs };
  return (
    <>
      <header class="top">
        <a
          class="brand"
          href="./"
          aria-label="Pagewright, start again"
          onClick={(event) => {
            event.preventDefault();
            keeper.startAgain();
          }}
        >
          <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
            <path class="fold" d="M7 3h12l7 7v19H7z" />
            <path class="ink" d="M11 24c3-9 6-12 11-14-1 6-4 10-9 11l-2 3zM19 3v7h7" />
          </svg>
          Pagewright
        </a>
        <nav aria-label="Reference">
          <a href="docs">Documentation</a>
          <a href="openapi.json">OpenAPI</a>
        </nav>
      </header>
      <main>
        <h1>Convert, merge and improve documents</h1>
        <div class="columns">
          <div class="steps">
            <ApiKey page={page} />
            <Files page={page} />
            <Operations page={page} />
            <Form page={page} />
          </div>
          <div class="sight">
            <Stage page={page} />
            <Earlier page={page} />
            <Code page={page} />
          </div>
        </div>
      </main>
      <p class="visually-hidden" role="status">
        {state.announcement}
      </p>
    </>
  );
}
