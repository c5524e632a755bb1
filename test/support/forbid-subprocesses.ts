// Prevents unit tests from starting programs, so that they run on any machine after `npm install`. A test that needs a
// program belongs in test/native.

import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const) {
  childProcess[name] = ((program: string) => {
    throw new Error(`A unit test must not start a program (${program}). Move it to test/native, see test/README.md.`);
  }) as never;
}
syncBuiltinESMExports();
