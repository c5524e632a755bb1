// Tests the check for old engine packages, with given output of apt.
import { expect, test } from "vitest";
import { checkEnginePackages, policiesIn } from "../../scripts/checks/engine-packages.ts";

const block = (
  name: string,
  installed: string,
  candidate: string,
  source = "500 http://deb.debian.org/debian x/main",
) =>
  `${name}:\n  Installed: ${installed}\n  Candidate: ${candidate}\n  Version table:\n *** ${installed} 100\n` +
  `        ${source} amd64 Packages\n        100 /var/lib/dpkg/status\n`;
const LOCAL = "100 /var/lib/dpkg/status";
const CURRENT = block("ghostscript", "10.0.0~dfsg-11+deb12u9", "10.0.0~dfsg-11+deb12u9");
const OLD = block("openjdk-17-jre-headless", "17.0.15+6-1~deb12u1", "17.0.21.1+2-1~deb12u1");

test("each installed package with both of its versions", () => {
  const missing = block("libgs9", "(none)", "9.1");
  expect(policiesIn(CURRENT + missing + OLD)).toEqual([
    {
      ...{ name: "ghostscript", isOffered: true },
      ...{ installed: "10.0.0~dfsg-11+deb12u9", candidate: "10.0.0~dfsg-11+deb12u9" },
    },
    {
      ...{ name: "openjdk-17-jre-headless", isOffered: true },
      ...{ installed: "17.0.15+6-1~deb12u1", candidate: "17.0.21.1+2-1~deb12u1" },
    },
  ]);
  expect(policiesIn("N: Unable to locate package x\n")).toEqual([]);
  expect(policiesIn(block("a", "1", "1", LOCAL).replace("amd64 Packages", ""))[0]!.isOffered).toBe(false);
});

test.each([
  [
    "an older one",
    CURRENT + OLD,
    "warning: older than the distribution's, run apt-get upgrade: openjdk-17-jre-headless 17.0.15+6-1~deb12u1, " +
      "now 17.0.21.1+2-1~deb12u1",
  ],
  ["current ones", CURRENT, "1 packages are the distribution's newest that apt knows"],
  ["no list", block("a", "1", "1", LOCAL), "not checked: apt has no list of packages, run apt-get update"],
  ["no Debian", "", "not checked: no engine is installed from a Debian package"],
])("%s", async (_, output, said) => {
  expect(await checkEnginePackages(async () => output, 30)).toBe(said);
});

test("a LibreOffice that apt-get does not upgrade", async () => {
  expect(await checkEnginePackages(async () => CURRENT, 31.5)).toBe(
    "warning: LibreOffice was fetched 31 days ago, run container/install-engines.sh --upgrade",
  );
});
