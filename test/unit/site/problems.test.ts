// Tests the place at which the workbench shows each error of the service.
// Contract: docs/api.md#workbench, #errors
import { describe, expect, test } from "vitest";
import { errorSaying } from "../../../client/core/error.ts";
import { explain, problemTarget } from "../../../site/workbench/model/problems.ts";
import { apiDescription } from "../../../src/app/api-description.ts";
import * as errors from "../../../src/service/http/contract/errors.ts";
import { parametersOf } from "../../../src/service/http/openapi/document.ts";
import { helpLink } from "../../../src/service/http/responses/help.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { operationOf } from "./described-operations.ts";

const config = readConfig({ VARIANT: "keyed" } as Parameters<typeof readConfig>[0]);

/** Returns the place of an error in the response to a request. */
function placeIn(path: string, error: errors.ServiceError) {
  const link = helpLink(error, path, parametersOf(apiDescription, path, config), "https://example.com");
  const help = /#(.*)>/.exec(link)![1]!;
  return problemTarget({ ...parameterIn(error), help }, operationOf(path));
}

/** Returns the place of an error of a failed job. */
const placeLater = (path: string, error: errors.ServiceError) => problemTarget(parameterIn(error), operationOf(path));

function parameterIn({ status, message }: errors.ServiceError) {
  const { parameter } = errorSaying(status, message);
  return { status, sentence: message, ...(parameter === undefined ? {} : { parameter }) };
}

describe("an error is shown", () => {
  test.each([
    ["/png", errors.outOfRange("pages", "2-x"), "field:pages"],
    ["/png", errors.outOfRange("pages", "9 is not within the acceptable range for resolution."), "field:pages"],
    ["/png", errors.outOfRange("pages", "two\nlines"), "field:pages"],
    ["/png", errors.fieldRequired("output"), "field:output"],
    ["/png", errors.duplicateField("resolution"), "field:resolution"],
    ["/html", errors.fieldTooLarge("content"), "field:content"],
    ["/split-pdf", errors.outOfRange("pages[]", "7"), "field:pages[]"],
    ["/split-pdf", errors.outOfRange("pages[]", "7", "The document has 1 page."), "field:pages[]"],
    ["/compressed-pdf", errors.profileNotJson(), "field:profile"],
    ["/compressed-pdf", errors.outOfRange("profile.images.quality", "7"), "field:profile"],
    ["/pdf-with-metadata", errors.outOfRange("creation_date", "x"), "field:metadata"],
    ["/pdf-with-metadata", errors.outOfRange("custom.Title", "x"), "field:metadata"],
    ["/pdf-with-bookmarks", errors.outOfRange("bookmarks.0.page", "9"), "field:bookmarks"],
    ["/png", errors.passwordProtected(), "field:current_open_password"],
    ["/merged-pdf", errors.passwordProtected().because("a.pdf needs a password."), "field:current_open_password"],
    ["/encrypted-pdf", errors.passwordRequired(), "field:current_open_password"],
    ["/encrypted-pdf", errors.passwordTooShort(), "field:new_open_password"],
    ["/restricted-pdf", errors.passwordTooShort(), "field:new_permissions_password"],
    ["/unrestricted-pdf", errors.permissionsRequired(), "field:current_permissions_password"],
  ] as const)("of %s at its field: %o", (path, error, place) => {
    expect(placeIn(path, error)).toBe(place);
    expect(placeLater(path, error)).toBe(place);
  });

  test.each([
    ["/png", errors.notAPdf()],
    ["/png", errors.noSuchFile()],
    ["/png", errors.fileTooLarge(2 ** 20)],
    ["/png", errors.needsTooMuchMemory()],
    ["/png", errors.outOfRange("url", "ftp://example.com")],
    ["/pdf", errors.wrongType()],
    ["/pdf", errors.unreachable()],
    ["/pdf", errors.notAWebPage()],
    ["/pdf", errors.noInputOrUrl()],
    ["/pdf", errors.fileUnreachable()],
    ["/merged-pdf", errors.outOfRange("pages[]", "7")],
    ["/merged-pdf", errors.inputOrderMismatch("type[]")],
    ["/merged-pdf", errors.tooManyInputs()],
    ["/merged-pdf", errors.tooFewInputs()],
    ["/pdfa", errors.nonconforming()],
  ] as const)("of %s at the files: %o", (path, error) => expect(placeIn(path, error)).toBe("files"));

  test("of a job that has failed at the files", () => {
    for (const error of [errors.notAPdf(), errors.needsTooMuchMemory(), errors.unreachable()])
      expect(placeLater("/pdf", error)).toBe("files");
    expect(placeLater("/pdf", errors.passwordProtected())).toBe("field:current_open_password");
    expect(placeLater("/zip", errors.passwordProtected())).toBe("files");
    for (const error of [errors.crashed(), errors.timedOut()]) expect(placeLater("/pdf", error)).toBe("job");
  });

  test("at the key", () => {
    for (const error of [errors.keyRequired(), errors.invalidKey(), errors.outOfScope()])
      expect(placeIn("/png", error)).toBe("key");
  });

  test("below the button, if it concerns nothing that is on the page", () => {
    for (const error of [
      errors.busy(),
      errors.crashed(),
      errors.timedOut(),
      errors.unexpected(),
      errors.tooManyFields(),
    ])
      expect(placeIn("/png", error)).toBe("job");
    expect(placeIn("/png", errors.outOfRange("elsewhere", "7"))).toBe("job");
    expect(problemTarget({ status: 401, sentence: "No." }, undefined)).toBe("job");
  });
});

describe("reasons", () => {
  test("of a document that cannot become PDF/A are listed one by one", () => {
    const rules = [
      { clause: "6.2.3", test: 1, pageNumbers: [1, 2, 3] },
      { clause: "6.1.10", test: 2, pageNumbers: [] },
    ];
    const { message } = errors.nonconforming({ standard: "PDF/A-2b", rules, changedPages: [4, 5] });
    expect(explain(message)).toEqual({
      sentence: "The input file cannot be converted to PDF/A-2b.",
      reasons: [
        "rule 6.2.3 (test 1) is broken on pages 1, 2 and 3",
        "rule 6.1.10 (test 2) is broken",
        "pages 4 and 5 would not look or read the same",
      ],
    });
  });

  test("are none in other sentences", () => {
    const sentence = errors.unsupportedFile("lossless JPEG, or so").message;
    expect(explain(sentence)).toEqual({ sentence, reasons: [] });
  });
});
