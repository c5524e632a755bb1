// Describes an endpoint for OpenAPI, MCP, the workbench, the reference, the client and the command line. All of them
// use only this description, not the declaration.
import { mayBePdf } from "../../../document/contract/media-type.ts";
import type { Kind, Parameter } from "../../../document/contract/parameter.ts";
import { withEnd } from "./declaration/deprecation.ts";
import { OPEN_PASSWORD } from "./declaration/open-password.ts";
import { namingOf } from "./declaration/output-declaration.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ServiceError } from "./errors.ts";
import { idFieldOf, listName } from "./fields.ts";
import { errorsOf, furtherInputsOf, type Inputs, mainInputOf, type OneInput } from "./input-declaration.ts";
import type {
  Control,
  DescribedInput,
  DescribedParameter,
  ListedOperation,
  ParameterSchema,
} from "./operation-list.ts";

export interface Described extends ListedOperation {
  /** Errors of the endpoint's inputs and operation, in addition to the errors common to all operations. */
  readonly errors: readonly ServiceError[];
}

export function describe(endpoint: Endpoint): Described {
  const { verb, path, title, group, deprecated, variants, inputs, example = {}, errors = [] } = endpoint;
  const summary = withEnd(endpoint.summary, deprecated);
  const { output, extraFields = [], keeps, joinedName } = endpoint;
  const main = mainInputOf(inputs);
  const perInput = (main.kind === "several" && main.perInput) || [];
  const files = furtherInputsOf(inputs).map(
    ({ file, id, url, isOptional, isList, isUnlisted, insteadOf, ...input }) => ({
      ...{ name: file, id, url, description: input.description, accepts: acceptedBy(input) },
      ...{ required: !isOptional && insteadOf === undefined },
      ...(isList ? { list: true as const } : {}),
      ...(isUnlisted ? { unlisted: true as const } : {}),
      ...(insteadOf === undefined ? {} : { insteadOf }),
    }),
  );
  return {
    ...{ verb, path, title, group, summary, variants, example },
    ...(deprecated ? { deprecated: true as const } : {}),
    input: describeInput(inputs),
    files,
    parameters: describeParameters(endpoint, perInput),
    output: {
      ...{ naming: namingOf(output), type: output.type, archives: namingOf(output) !== "name", extraFields },
      ...("otherTypes" in output && output.otherTypes ? { otherTypes: output.otherTypes } : {}),
      ...(output.kind === "data" ? { data: output.schema as Readonly<Record<string, ParameterSchema>> } : {}),
      ...(output.kind === "data" && output.optional ? { optionalData: output.optional } : {}),
      ...(output.kind === "data" && output.mayBeFile ? { mayBeFile: true as const } : {}),
      ...(keeps ? { keeps } : {}),
      ...(joinedName === undefined ? {} : { joinedName }),
    },
    errors: [...errorsOf(inputs), ...errors],
  };
}

function describeInput(inputs: Inputs): DescribedInput {
  const input = mainInputOf(inputs);
  const { kind } = input;
  if (kind === "none") return { kind, description: "", accepts: "files", webPages: false };
  const { description } = input;
  if (kind === "text") return { kind, description, accepts: "text", webPages: false, field: input.field };
  const converts = kind === "several" && input.converts === true;
  return {
    ...{ kind, description, webPages: kind === "one" && input.webPages === true && !input.accepts },
    accepts: converts || (kind === "one" && !input.accepts) ? "documents" : acceptedBy(input),
    ...(converts ? { converts } : {}),
    ...(kind === "several" && input.orderedBy !== undefined ? { orderedBy: input.orderedBy } : {}),
  };
}

const acceptedBy = ({ accepts, mayBeText }: Pick<OneInput, "accepts" | "mayBeText">): DescribedInput["accepts"] =>
  accepts === mayBePdf && !mayBeText ? "pdf" : accepts ? "documents" : "files";

function describeParameters(endpoint: Endpoint, perInput: readonly string[]): readonly DescribedParameter[] {
  const { fields, output, openPasswordAlias } = endpoint;
  const others = new Map(
    Object.entries(fields).flatMap(([name, { kind }]) =>
      (kind.file ?? kind.json?.file) === undefined ? [] : [[idFieldOf(name), name]],
    ),
  );
  if (openPasswordAlias !== undefined) others.set(openPasswordAlias, OPEN_PASSWORD);
  return Object.entries(fields).map(([name, field]) => {
    const described = describeParameter(name, field);
    const standsFor = others.get(name);
    const isNamed = name !== "output" || (output.kind === "files" && !output.isOptional);
    return {
      ...described,
      required: described.required && isNamed,
      ...(perInput.includes(name) ? { perInput: true as const } : {}),
      ...(standsFor === undefined ? {} : { standsFor }),
    };
  });
}

export function describeParameter(name: string, field: Parameter): DescribedParameter {
  const { kind, isOptional, default: fallback, onlyWith, deprecated } = field;
  const description = withEnd(field.description, deprecated);
  const required = !isOptional && fallback === undefined && onlyWith === undefined;
  const { json } = kind;
  return {
    ...{ name, description, required, control: controlOf(kind), schema: schemaOf(kind) },
    ...(kind.item ? { list: true as const } : {}),
    ...(kind.isSecret ? { secret: true as const } : {}),
    ...(deprecated ? { deprecated: true as const } : {}),
    ...(kind.joint === undefined ? {} : { joined: true as const }),
    ...(kind.words ? { words: kind.words } : {}),
    ...(fallback === undefined ? {} : { default: kind.control === "number" ? Number(fallback) : fallback }),
    ...(onlyWith && !isOptional && fallback === undefined
      ? { requiredIf: { field: onlyWith.parameter, is: onlyWith.is } }
      : {}),
    ...(json
      ? {
          content: {
            ...(json.name === undefined ? {} : { name: json.name }),
            ...(json.file === undefined ? {} : { isFile: true as const }),
            schema: json.schema as ParameterSchema,
          },
        }
      : {}),
  };
}

/** Returns the schema of one value in a form. */
function schemaOf({ json, item, schema }: Kind<unknown>): ParameterSchema {
  const described = item ? item.schema : schema;
  return (json?.file === undefined ? described : { ...described, ...JSON_FILE }) as ParameterSchema;
}

const JSON_FILE = { format: "binary", contentMediaType: "application/json" };

/** Returns the form control of a parameter: a slider for a bounded range of integers. */
function controlOf({ control, schema }: Kind<unknown>): Control {
  return schema.type === "integer" && schema.minimum !== undefined && schema.maximum !== undefined ? "slider" : control;
}

/** Returns the form spelling of a parameter, with brackets if it is repeatable: `pages[]`. */
export const formName = ({ name, list }: { readonly name: string; readonly list?: true | undefined }): string =>
  list ? listName(name) : name;

/** Returns the description of a parameter, with the words that its schema cannot list. */
export const fullDescription = ({ description, words }: DescribedParameter): string =>
  words ? `${description} One or more of ${words.join(", ")}.` : description;

/** Reports whether a request can contain a separate page selection for each input. */
export const isSelectable = ({ parameters }: Described): boolean => parameters.some(({ perInput }) => perInput);

const DEFAULT_OUTPUT = "By default, it is made from the name of the input and the operation.";

/** Returns the parameters of a JSON body, where the output name is optional (docs/api.md#json-bodies). */
export const jsonParameters = ({ parameters, output }: Described): readonly DescribedParameter[] =>
  parameters
    .filter(({ perInput }) => !perInput)
    .map((parameter) => {
      if (parameter.name !== "output") return parameter;
      const { description } = parameter;
      const all = output.naming === "list" ? description : `${description} ${DEFAULT_OUTPUT}`;
      return { ...parameter, required: false, description: all };
    });
