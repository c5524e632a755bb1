// Declares /steps, which runs several operations in one request, each on the outputs of the one before.

import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { parameter } from "../../document/contract/parameter.ts";
import { json } from "../../document/contract/parameters/json.ts";
import { SECRET } from "../../document/contract/parameters/text.ts";
import { inStep } from "../../service/http/contract/declaration/in-step.ts";
import { typesOf } from "../../service/http/contract/declaration/output-declaration.ts";
import { OUTPUT_URL } from "../../service/http/contract/declaration/output-url.ts";
import { defineEndpoint, type Endpoint, type ParsedRequest } from "../../service/http/contract/endpoint.ts";
import { noDocument, outOfRange, ServiceError } from "../../service/http/contract/errors.ts";
import { readFields, type SentFields } from "../../service/http/contract/fields.ts";
import type { Form } from "../../service/http/contract/form.ts";
import { mainInputOf } from "../../service/http/contract/input-declaration.ts";
import { parseName } from "../../service/http/requests/form-entries.ts";
import type { ReceivedFile } from "../../service/storage/file.ts";
import { planSteps, requireTypes } from "./plan.ts";
import { fieldsOfStep, formOfStep, STEP_FILES, STEP_URLS } from "./step-form.ts";

/** Fields by the name of an endpoint. Each step has exactly one. */
type StepBody = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** @param endpoints the endpoints that a step can name, if they take documents */
export function stepsEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  const byName = new Map(endpoints.filter(takesDocuments).map((endpoint) => [endpoint.path.slice(1), endpoint]));
  const fields = { steps: stepsParameter([...byName.keys()]) };
  const declared = defineEndpoint({
    path: "/steps",
    ...{ verb: "steps", title: "Run several steps", group: "Make a PDF" },
    joinedName: "steps",
    variants: ["private", "keyed"],
    summary: "Runs several operations in one request, each on the outputs of the one before.",
    example: { steps: '[{"watermarked-pdf": {"watermark_text": "Draft"}}, {"merged-pdf": {}}]' },
    inputs: {
      file: { kind: "several", webPages: true, description: "Documents that the first step takes" },
      [STEP_FILES]: {
        ...{
          kind: "one",
          isList: true,
          isOptional: true,
          isUnlisted: true,
          role: STEP_FILES,
          id: "step_ids",
          url: STEP_URLS,
        },
        description: "Further files, such as the image of a watermark; a step refers to them by their names",
      },
    },
    parameters: fields,
    output: {
      ...{ kind: "files", naming: "prefix", isPlainIfOne: true, keepsNames: true, isOptional: true },
      ...{ type: "application/pdf", otherTypes: otherTypes([...byName.values()]) },
    },
    extraFields: ["substitutedFonts", "warning", "files"],
    errors: [outOfRange("steps.0.rotated-pdf", "90"), noDocument()],
    createJob: () => {
      throw new Error("the steps determine the job");
    },
  });
  const bodiesIn = (form: SentFields) =>
    numbered(() => readFields(fields, form, {})).steps.map((step) => {
      const [[name, body] = ["", {}]] = Object.entries(step);
      return { endpoint: byName.get(name)!, body: body ?? {} };
    });
  return {
    ...declared,
    visitIn(form) {
      const [{ endpoint, body }] = bodiesIn(form) as [ReturnType<typeof bodiesIn>[0]];
      return inStep(0, endpoint, () => endpoint.visitIn?.(fieldsOfStep(endpoint, body)) ?? {});
    },
    stepsIn: (form, files) => {
      requireDistinct(files);
      return bodiesIn(form).map(({ endpoint, body }, index) => ({
        endpoint,
        form: inStep(index, endpoint, () => formOfStep(endpoint, body, form, files)),
      }));
    },
    endpointOfStep: (form, index) => bodiesIn(form)[index]!.endpoint,
    secretsIn: (form) => new Set([OUTPUT_URL, ...(haveSecrets(() => bodiesIn(form)) ? ["steps"] : [])]),
    parse(form, defaults, requests = []) {
      const { output, deliverTo } = declared.parse(form, defaults);
      const steps = requests.map(({ endpoint, form }, index) => ({
        endpoint,
        parsed: inStep(index, endpoint, () => parsedStep(endpoint, form)),
      }));
      requireTypes(requests.map(({ endpoint }) => endpoint));
      const prepare: ParsedRequest["prepare"] = (inputs, settings) => planSteps(steps, inputs, settings);
      return { output, isData: false, ...(deliverTo === undefined ? {} : { deliverTo }), prepare };
    },
  };
}

/** @throws ServiceError 400 if the step has an address: only the whole request has outputs */
function parsedStep(endpoint: Endpoint, form: Form): ParsedRequest {
  const parsed = endpoint.parse(form, { output: endpoint.path.slice(1) });
  if (parsed.deliverTo !== undefined) throw outOfRange(OUTPUT_URL, SECRET);
  return parsed;
}

const takesDocuments = ({ inputs }: Endpoint): boolean => ["one", "several"].includes(mainInputOf(inputs).kind);

function stepsParameter(names: readonly string[]) {
  const body = z.looseObject({}).optional();
  const step = z
    .strictObject(Object.fromEntries(names.map((name) => [name, body])))
    .refine((value) => Object.values(value).filter((fields) => fields !== undefined).length === 1);
  const list = z.array(step).min(1).max(LIMITS.steps) as unknown as z.ZodType<readonly StepBody[]>;
  return parameter(
    "A JSON list of steps. A step is an object with the name of an endpoint, and the fields of its JSON body.",
    { ...json(list, { name: "Steps" }), isSecret: true, hint: `It must be a list of 1 to ${LIMITS.steps} steps.` },
  );
}

/** Adds the number of the step to an error, as in errors about its fields. The path of a member counts from 0. */
function numbered<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const parameter = error instanceof ServiceError ? error.values.parameter : undefined;
    const [, index] = /^steps\.(\d+)/.exec(parameter ?? "") ?? [];
    throw index === undefined ? error : (error as ServiceError).because(`The error is in step ${Number(index) + 1}.`);
  }
}

/** @throws ServiceError 400 if a step could mean two files by one name */
function requireDistinct(files: readonly ReceivedFile[]): void {
  const names = new Set<string>();
  for (const { name } of files) {
    if (names.has(name)) throw outOfRange(STEP_FILES, name, "Two files have this name.");
    names.add(name);
  }
}

/** Reports whether a step contains a password or another secret. Steps that cannot be read count as secret. */
function haveSecrets(read: () => readonly { readonly endpoint: Endpoint; readonly body: object }[]): boolean {
  try {
    return read().some(({ endpoint: { fields }, body }) =>
      Object.keys(body).some((spelling) => fields[parseName(spelling).name]?.kind.isSecret),
    );
  } catch {
    return true;
  }
}

/** Types that an `Accept` header can request. A client that accepts JSON wants the ids of the outputs. */
const otherTypes = (endpoints: readonly Endpoint[]): readonly string[] =>
  [...new Set(endpoints.flatMap(({ output }) => typesOf(output)))].filter(
    (type) => type !== "application/pdf" && type !== "application/json",
  );
