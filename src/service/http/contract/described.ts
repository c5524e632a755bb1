// Describes an endpoint to everything that shows or calls it: OpenAPI, agents, the workbench, the reference, the client
// and its command line. Nothing else looks into a declaration from outside.
import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import type { ServiceError } from "./errors.ts";
import { type Field, type ListField, listName } from "./fields.ts";
import { errorsOf, type InputDeclaration, takesPdfsOnly } from "./input-declaration.ts";
import type {
  Control,
  DescribedInput,
  DescribedParameter,
  ListedOperation,
  ParameterSchema,
} from "./operation-list.ts";

export interface Described extends ListedOperation {
  /** Errors of its inputs and of what it does, besides those of every operation. */
  readonly errors: readonly ServiceError[];
}

export function describe(endpoint: Endpoint): Described {
  const { verb, path, title, group, summary, variants, input, fields, example = {}, errors = [] } = endpoint;
  const { outputNaming, produces, extraFields = [], keeps, joinedName } = endpoint;
  const perInput = (input.kind === "several" && input.perInput) || [];
  return {
    ...{ verb, path, title, group, summary, variants, example },
    input: describeInput(input),
    parameters: Object.entries(fields).map(([name, field]) => ({
      ...describeParameter(name, field),
      ...(perInput.includes(name) ? { perInput: true } : {}),
    })),
    output: {
      ...{ naming: outputNaming, type: produces, archives: outputNaming !== "name", extraFields },
      ...(keeps ? { keeps } : {}),
      ...(joinedName === undefined ? {} : { joinedName }),
    },
    errors: [...errorsOf(input), ...errors],
  };
}

function describeInput(input: InputDeclaration): DescribedInput {
  const { kind, description } = input;
  if (kind === "text") return { kind, description, accepts: "text", webPages: false, field: input.field };
  const isOpened = kind === "one" || input.accepts !== undefined;
  return {
    ...{ kind, description, webPages: kind === "one" && input.webPages === true },
    accepts: takesPdfsOnly(input) ? "pdf" : isOpened ? "documents" : "files",
    ...(kind === "several" && input.orderedBy !== undefined ? { orderedBy: input.orderedBy } : {}),
  };
}

export function describeParameter(name: string, field: Field<unknown> | ListField<unknown>): DescribedParameter {
  const { description, required } = field;
  if ("item" in field) {
    return { name, description, required, control: "pages", schema: schemaOf(field.item), list: true };
  }
  const { fallback, requiredIf, standsFor, content } = field;
  const schema = schemaOf(field.schema);
  return {
    ...{ name, description, required, control: controlOf(field, schema), schema },
    ...(fallback === undefined ? {} : { default: schema.type === "integer" ? Number(fallback) : fallback }),
    ...(requiredIf ? { requiredIf } : {}),
    ...(standsFor === undefined ? {} : { standsFor }),
    ...(content ? { content: { name: content.name, schema: schemaOf(content.schema) } } : {}),
  };
}

function controlOf({ isFile, joint }: Field<unknown>, schema: ParameterSchema): Control {
  if (isFile) return "code";
  if (joint !== undefined) return "pages";
  if (schema.enum) return schema.enum.toSorted().join() === "off,on" ? "switch" : "choice";
  return schema.minimum !== undefined && schema.maximum !== undefined ? "slider" : "text";
}

function schemaOf(type: z.ZodType): ParameterSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    // Numbers are described by their parsed value, texts by the input.
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodNumber) {
        Object.assign(jsonSchema, z.toJSONSchema(zodSchema.out));
        delete jsonSchema.$schema;
      }
    },
  });
  return schema as ParameterSchema;
}

/** Returns the name of a parameter in a form, with brackets if it may be repeated. */
export const formName = ({ name, list }: Pick<DescribedParameter, "name" | "list">): string =>
  list ? listName(name) : name;

/** Reports whether each of several inputs has values of its own: its pages. */
export const isSelectable = ({ parameters }: Described): boolean => parameters.some(({ perInput }) => perInput);

const DEFAULT_OUTPUT = "By default, it is made from the name of the input and the operation.";

/** Returns the parameters of a JSON body, which may leave out the name of the output (docs/api.md#json-bodies). */
export const jsonParameters = ({ parameters, output }: Described): readonly DescribedParameter[] =>
  parameters
    .filter(({ perInput }) => !perInput)
    .map((parameter) => {
      if (parameter.name !== "output") return parameter;
      const { description } = parameter;
      const all = output.naming === "list" ? description : `${description} ${DEFAULT_OUTPUT}`;
      return { ...parameter, required: false, description: all };
    });
