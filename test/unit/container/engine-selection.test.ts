// Tests the setting ENGINES.
import { expect, test } from "vitest";
import { selectedEngines } from "../../../container/engine-selection.ts";

const ALL = ["office", "ghostscript", "verapdf", "chromium", "threads"];

test.each([undefined, "", " , "])("%j selects all engines", (list) => {
  expect([...selectedEngines(list)]).toEqual(ALL);
});

test("a list selects the engines in it", () => {
  expect([...selectedEngines(" chromium,threads ,")]).toEqual(["chromium", "threads"]);
});

test("an unknown name is refused, with the names that are known", () => {
  expect(() => selectedEngines("office,libreoffice")).toThrow(
    "ENGINES has unknown engines: libreoffice. The engines are office, ghostscript, verapdf, chromium, threads.",
  );
});
