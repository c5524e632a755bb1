// Reports the rules that a PDF breaks: as JSON with the places on its pages, or as marks in the PDF. Yields one output.
import * as z from "zod";
import { type Box, boundsOf, inverse } from "../../document/content/matrix.ts";
import { defineOperation, type Output, type Run } from "../../document/contract/operation.ts";
import type { PdfFile } from "../../document/objects/pdf-file.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { isClassic, withdrawClaims } from "../../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { shownSpace } from "../../document/pages/page-size.ts";
import { pageDictionary, readPages } from "../../document/pages/pages.ts";
import { FailureMarks } from "../../document/pdfa/failure-marks.ts";
import { FailurePlaces, type FoundPlace } from "../../document/pdfa/failure-places.ts";
import { type ReportedFailure, reportedFailure } from "../../document/pdfa/rule-failure.ts";
import type { BrokenPlace, RuleReport, ValidationReport } from "../validate-pdf.ts";

const params = z.object({
  ...{ profile: z.string(), claims: z.array(z.string()), compliant: z.boolean() },
  ...{ failures: z.array(reportedFailure), isMarked: z.boolean() },
});

/** Maximum number of places of a rule that are reported. */
const TOLD_PLACES = 100;

/** @throws EngineFailure */
const run: Run<z.infer<typeof params>> = async function* ([input], { failures, isMarked, ...about }, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: !isMarked });
  const { file, notices } = pdf;
  const places = new FailurePlaces(file);
  const told = failures.map((failure) => ({
    failure,
    found: failure.places.slice(0, TOLD_PLACES).map((place) => ({ ...places.find(place), place })),
  }));
  if (!isMarked) {
    const toPage = pageSpaces(file);
    const rules = told.map(({ failure, found }) => reportOf(failure, found.map(toPage)));
    yield jsonOutput({ ...about, rules } satisfies ValidationReport);
    return;
  }
  const marks = new FailureMarks(file);
  for (const { failure, found } of told) {
    const { clause, test, description } = failure;
    const text = `${about.profile}, ${clause} (test ${test}): ${description}`;
    for (const place of found) marks.add(place, text);
  }
  if (failures.length > 0) marks.write();
  if (failures.length > 0) notices.push(...withdrawClaims(file, () => true));
  yield pdfOutput(writeFile(file, undefined, { classic: isClassic(file) }), notices);
};

export const reportFailures = defineOperation({ name: "report-failures", params, run });

export const jsonOutput = (value: unknown): Output => ({
  ...{ extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(value)) },
});

const reportOf = (failure: ReportedFailure, places: readonly BrokenPlace[]): RuleReport => {
  const { specification, clause, test, description, count } = failure;
  return { specification, clause, test, description, count, places };
};

/** Rounds to a thousandth of a point, because files store numbers with single precision. */
const rounded = (box: Box): Box => {
  const [left, bottom, right, top] = box.map((edge) => Math.round(edge * 1000) / 1000);
  return [left!, bottom!, right!, top!];
};

type Found = FoundPlace & { readonly place: ReportedFailure["places"][number] };

/** Returns a function that converts boxes to points from the lower left corner of a page as viewers show it. */
function pageSpaces(file: PdfFile): (found: Found) => BrokenPlace {
  const { pages } = readPages(file);
  return ({ pageIndex, box, place: { objectNumber, context } }) => {
    const page = pageIndex === undefined ? undefined : pages[pageIndex];
    const toShown = page && box ? inverse(shownSpace(file, pageDictionary(file, page))) : undefined;
    return {
      ...(page ? { page: page.index + 1 } : {}),
      ...(toShown && box ? { box: rounded(boundsOf(toShown, box)) } : {}),
      ...(objectNumber === undefined ? {} : { object: objectNumber }),
      path: context,
    };
  };
}
