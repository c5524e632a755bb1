// Derives the POST of an endpoint from its declaration, for synchronous and asynchronous requests.

import { selectBackends } from "../../placement/placement.ts";
import { bodyLimitsOf } from "../contract/body-size.ts";
import { orderedFieldsOf, secretsOf } from "../contract/declaration/field-names.ts";
import { offersOf } from "../contract/declaration/output-declaration.ts";
import type { Endpoint, RequestServices } from "../contract/endpoint.ts";
import type { Form } from "../contract/form.ts";
import type { Post } from "../contract/route.ts";
import { handleRequest, keepsInputs, readEndpointForm, runAndRespond, toEndpointError } from "../pipeline/pipeline.ts";
import { resolveRequest } from "../pipeline/resolve-request.ts";
import { rejectBlockedIpLiterals } from "../requests/address-check.ts";
import { toInput } from "../requests/inputs.ts";
import { takeSecretFiles } from "../requests/stored-fields.ts";
import { requireWebUrl, type UrlInput } from "../requests/url-inputs.ts";
import { negotiate } from "../responses/negotiation.ts";

export const endpointPost = (endpoint: Endpoint): Post => ({
  path: endpoint.path,
  bodyLimits: (_headers, config) => bodyLimitsOf(endpoint, config),
  serve: (request, service) => handleRequest(endpoint, request, service),
  deferred: {
    ...{
      ordered: orderedFieldsOf(endpoint),
      isTransient: !keepsInputs(endpoint),
      secrets: (form) => secretsOf(endpoint, form),
    },
    applies: () => true,
    receive: (request, service, options) =>
      readEndpointForm(endpoint, request, { ...options, service, isTransient: false }),
    takeSecretFiles: (form, service) => takeSecretFiles(endpoint, form, service),
    check: (form, signal, service) => check(endpoint, form, signal, service),
    async carryOut(form, service, { resources, ...options }) {
      const wishes = negotiate(new Headers(), offersOf(endpoint.output));
      const exchange = { ...options, endpoint, service, wishes, form, isTransient: false };
      return (await runAndRespond(exchange, resources)).response;
    },
  },
});

/** Runs all checks that are possible without opening a document. */
async function check(endpoint: Endpoint, form: Form, signal: AbortSignal, service: RequestServices): Promise<void> {
  const { store, config, caller } = service;
  const awaited: UrlInput[] = [];
  const { sources, parse } = await resolveRequest(endpoint, form, {
    ...{ store, config, caller },
    async receive(addressed) {
      requireWebUrl(addressed);
      awaited.push(addressed);
      return undefined;
    },
  });
  // A file from a URL has no name until it is fetched, so the default output name uses a placeholder.
  const bound = parse(sources[0] ?? (awaited.length > 0 ? { name: "file" } : undefined));
  try {
    const inputs = awaited.length === 0 ? sources.map((source) => toInput(source, store)) : [];
    selectBackends(await bound.prepare(inputs, config), inputs, service);
  } catch (error) {
    throw toEndpointError(error, { endpoint, form, service });
  }
  await rejectBlockedIpLiterals(awaited, signal, service);
}
