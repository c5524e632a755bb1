// Tests that the service reports its own release.
import { expect, test } from "vitest";
import packageJson from "../../../../package.json" with { type: "json" };
import { RELEASE } from "../../../../src/service/settings/release.ts";

test("the version is that of package.json, and the date is one", () => {
  expect(RELEASE.version).toBe(packageJson.version);
  expect(new Date(RELEASE.releaseDate).toISOString().slice(0, 10)).toBe(RELEASE.releaseDate);
});
