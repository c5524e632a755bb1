// Defines the inputs that an endpoint can declare, and the errors that follow from them.

import { mayBePdf } from "../../../document/contract/media-type.ts";
import {
  duplicateField,
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

/** The kinds of input that an endpoint accepts. */
export type InputDeclaration =
  /** Exactly one of `file`, `id` and `url`. */
  | {
      readonly kind: "one";
      readonly description: string;
      /**
       * Reports whether a document of this media type, as determined from its content, may be worth opening.
       * @default any type
       */
      accepts?(type: string): boolean;
      /**
       * True if the address of a web page stands for the page. It is stored as a file of its own, an internet shortcut.
       * @default an address leads to a file
       */
      readonly webPages?: boolean;
    }
  /** Any number of `file`, `id[]` and `url[]`, at least one in total. */
  | {
      readonly kind: "several";
      readonly description: string;
      /** Reports the same for each document. @default files of any type, which are not opened */
      accepts?(type: string): boolean;
      /**
       * Name of a list with `file`, `id` or `url` for each input, which sets their order. @default the order of arrival
       */
      readonly orderedBy?: string;
      /** Names of other lists with one value for each input. */
      readonly perInput?: readonly string[];
    }
  /** A text field, as long as a file may be. The text is not kept, so the response has no inputId. */
  | { readonly kind: "text"; readonly field: string; readonly description: string };

/** Reports whether a source is PDFs and nothing else: callers convert other documents first. */
export const takesPdfsOnly = (source: InputDeclaration): boolean =>
  source.kind !== "text" && source.accepts === mayBePdf;

/** Returns the error responses that follow from the source of an endpoint, whatever is done with the documents. */
export function errorsOf(source: InputDeclaration): readonly ServiceError[] {
  switch (source.kind) {
    case "text":
      return [fieldRequired(source.field)];
    case "one":
      return [
        fileAndId(),
        fileIdAndUrl(),
        source.webPages ? noInputOrUrl() : noInput(),
        tooManyFiles(),
        duplicateField("url"),
        outOfRange("url", "http://127.0.0.1/"),
        noSuchFile(),
        fileUnreachable(),
        ...errorsOfOpening(source.accepts),
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
        ...(accepts ? errorsOfOpening(accepts) : []),
      ];
    }
  }
}

/** @param accepts the types that are opened. @default any type */
const errorsOfOpening = (accepts?: (type: string) => boolean): readonly ServiceError[] => [
  wrongType(),
  ...(accepts === mayBePdf ? [notAPdf()] : []),
  passwordProtected(),
  tooComplex(),
  unsupportedFile(),
];
