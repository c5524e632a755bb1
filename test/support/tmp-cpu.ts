import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
const cpu = () => {
  const f = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ").map(Number);
  return { u: f[11]! / 100, s: f[12]! / 100, cu: f[13]! / 100, cs: f[14]! / 100 };
};
const before = cpu();
const began = Date.now();
afterAll(() => {
  const a = cpu();
  const file = expect.getState().testPath?.replace(/^.*\/(test|container)\//, "$1/");
  const d = (k: "u" | "s" | "cu" | "cs") => (a[k] - (process.env.VITEST_POOL_ID ? before[k] : 0)).toFixed(1);
  appendFileSync("/tmp/cpu3.txt", `${file}\t${((Date.now() - began) / 1000).toFixed(1)}\t${a.u.toFixed(1)}\t${a.s.toFixed(1)}\t${d("cu")}\t${d("cs")}\t${d("u")}\t${d("s")}\n`);
});
