// Defines the inputs that an endpoint can declare, and the resulting errors.

import { mayBePdf } from "../../../document/contract/media-type.ts";
import {
  duplicateField,
  eitherRequired,
  fieldRequired,
  fileAndId,
  fileIdAndUrl,
  fileUnreachable,
  inputOrderMismatch,
  noInput,
  noInputOrUrl,
  noSuchFile,
  notAPdf,
  outOfRange,
  passwordProtected,
  type ServiceError,
  tooComplex,
  tooFewInputs,
  tooManyFiles,
  tooManyInputs,
  unsupportedFile,
  wrongType,
} from "./errors.ts";
import { listName } from "./fields.ts";

/** Exactly one of a file, the ID of a stored file, or the URL of a file. */
export interface OneInput {
  readonly kind: "one";
  readonly description: string;
  /**
   * Reports whether the endpoint can process documents of this media type, which is detected from the content. @default
   * any type
   */
  accepts?(type: string): boolean;
  /** Reports whether the endpoint has another operation for documents of this type. @default no other types */
  acceptsAlso?(type: string): boolean;
  /** True if the endpoint processes texts as they are. @default false */
  readonly mayBeText?: boolean;
  /**
   * True if a URL can refer to a web page. The page's URL is then stored as an internet shortcut file. @default a URL
   * refers to a file
   */
  readonly webPages?: boolean;
  /**
   * Further file to which additional `file` parts belong. The first part called `index.html`, or else the first one
   * with the extension of an HTML file, is then the document. @default one `file` part
   */
  readonly othersAs?: string;
  /** True if the endpoint processes documents that need a password. @default such a document is an error */
  readonly mayBeLocked?: boolean;
}

/** Any number of `file`, `id[]` and `url[]`, at least one in total. */
export interface SeveralInputs {
  readonly kind: "several";
  readonly description: string;
  /** Like {@link OneInput.accepts}, for each document. @default files of any type, which are not opened */
  accepts?(type: string): boolean;
  /**
   * Name of a list that contains `file`, `id` or `url` for each input and so determines the order of inputs. @default
   * order of arrival
   */
  readonly orderedBy?: string;
  /** Like {@link OneInput.webPages}. */
  readonly webPages?: boolean;
  /** True if documents of other types are converted to PDF first. @default false */
  readonly converts?: boolean;
  /** Names of further lists that contain one value per input. */
  readonly perInput?: readonly string[];
}

/** A text field with the size limit of a file. The text is not stored, so the response has no inputId. */
export interface TextInput {
  readonly kind: "text";
  readonly description: string;
}

/** An additional input file, such as an image to add. */
export interface FurtherInput extends OneInput {
  /** Field with the ID of a stored file. @default `image_id` for `image_file`, `image_ids` for a list `image_files` */
  readonly id?: string;
  /** Field with the URL of a file. @default `image_url` for `image_file`, `image_urls` for a list `image_files` */
  readonly url?: string;
  /** {@link Input.role} for the operation. @default `image` for `image_file` or `image_files` */
  readonly role?: string;
  /** True if the file is optional. @default false */
  readonly isOptional?: boolean;
  /**
   * True if the field is a list: several files, IDs and URLs. Their order of arrival is the order of the inputs.
   * @default false
   */
  readonly isList?: boolean;
  /** True if the response has only the ID of the main input, as a string. @default the IDs of all inputs */
  readonly isUnlisted?: boolean;
  /** Name of an alternative field or further file: exactly one of the two is required. @default none */
  readonly insteadOf?: string;
}

/**
 * The inputs of an endpoint by field name. `file` is one document or several. Further files follow, in the order in
 * which the operation receives them. Instead, the only input can be a text, or there is no input. Example: `{ file:
 * one(PDF), image_file: one(IMAGE) }`.
 */
export type Inputs = Readonly<Record<string, OneInput | SeveralInputs | TextInput | FurtherInput>>;

/** The main input of a request, with its field. */
export type MainInput =
  | (OneInput & { readonly field: "file" })
  | (SeveralInputs & { readonly field: "file" })
  | (TextInput & { readonly field: string })
  | { readonly kind: "none" };

/** Returns the error for a request without an input. */
export const missingInput = ({ webPages, accepts }: Pick<OneInput, "webPages" | "accepts">): ServiceError =>
  webPages && !accepts ? noInputOrUrl() : noInput();

export function mainInputOf(inputs: Inputs): MainInput {
  const { file } = inputs;
  if (file?.kind === "one" || file?.kind === "several") return { ...file, field: "file" };
  const [text] = Object.entries(inputs).flatMap(([field, input]) =>
    input.kind === "text" ? [{ ...input, field }] : [],
  );
  return text ?? { kind: "none" };
}

/** A further input with its role and the names of its fields. */
export interface NamedInput extends FurtherInput {
  readonly file: string;
  readonly id: string;
  readonly url: string;
  readonly role: string;
}

/** Returns the inputs other than the main input, in the declared order. */
export const furtherInputsOf = (inputs: Inputs): readonly NamedInput[] =>
  Object.entries(inputs).flatMap(([file, input]) => {
    if (file === "file" || input.kind !== "one") return [];
    const stem = file.replace(/_files?$/, "");
    const plural = "isList" in input && input.isList ? "s" : "";
    return [{ id: `${stem}_id${plural}`, url: `${stem}_url${plural}`, role: stem, ...input, file }];
  });

/** Returns the errors that the inputs of an endpoint can cause, independent of its operation. */
export const errorsOf = (inputs: Inputs): readonly ServiceError[] => [
  ...errorsOfMain(mainInputOf(inputs)),
  ...furtherInputsOf(inputs).flatMap(({ file, url, isOptional, isList, insteadOf, accepts }) => [
    ...(isOptional ? [] : [insteadOf === undefined ? fieldRequired(file) : eitherRequired(file, insteadOf)]),
    ...(isList ? [tooManyInputs()] : [fileAndId(), fileIdAndUrl(), duplicateField(file)]),
    ...[outOfRange(isList ? listName(url) : url, "http://127.0.0.1/"), noSuchFile(), fileUnreachable()],
    ...(accepts ? [wrongType()] : []),
  ]),
];

function errorsOfMain(source: MainInput): readonly ServiceError[] {
  switch (source.kind) {
    case "none":
      return [];
    case "text":
      return [fieldRequired(source.field)];
    case "one":
      return [
        fileAndId(),
        fileIdAndUrl(),
        missingInput(source),
        tooManyFiles(),
        duplicateField("url"),
        outOfRange("url", "http://127.0.0.1/"),
        noSuchFile(),
        fileUnreachable(),
        ...errorsOfOpening(source),
      ];
    case "several": {
      const { orderedBy, perInput = [], accepts } = source;
      return [
        noInput(),
        tooManyInputs(),
        outOfRange(listName("url"), "http://127.0.0.1/"),
        fileUnreachable(),
        ...(orderedBy === undefined
          ? []
          : [
              tooFewInputs(),
              fieldRequired(listName(orderedBy)),
              outOfRange(listName(orderedBy), "files"),
              inputOrderMismatch(listName(orderedBy)),
            ]),
        ...perInput.map((name) => fieldRequired(listName(name))),
        noSuchFile(),
        ...(accepts ? errorsOfOpening(source) : []),
      ];
    }
  }
}

const errorsOfOpening = ({ accepts, mayBeLocked }: Pick<OneInput, "accepts" | "mayBeLocked">) => [
  wrongType(),
  ...(accepts === mayBePdf ? [notAPdf()] : []),
  ...(mayBeLocked ? [] : [passwordProtected()]),
  tooComplex(),
  unsupportedFile(),
];
