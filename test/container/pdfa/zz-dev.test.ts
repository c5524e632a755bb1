import { readFileSync, writeFileSync } from "node:fs";
import { test } from "vitest";
import { conforming } from "../../../container/pdfa/conforming.ts";
import { ghostscript } from "../../../container/pdfa/ghostscript.ts";
import { pictures } from "../../../container/pdfa/pictures.ts";
import { repair } from "../../../container/pdfa/repair.ts";
import { climbed, openLadder } from "../../support/ladders.ts";
openLadder();
test("x", async () => {
  for (const spec of process.env.JOBS!.split(" ")) {
    const [file, level] = spec.split("@");
    try {
      const r = await climbed(new Uint8Array(readFileSync(file)), level as any, [conforming, repair, ghostscript, ...(process.env.PICS ? [pictures] : [])]);
      writeFileSync(file.replace(/.*\//, "/tmp/dr/").replace(".pdf", `.${level}.pdf`), r.bytes);
      console.log(spec, r.rung, JSON.stringify(r.refused).slice(0, 600));
    } catch (e) { console.log(spec, "FAILED", (e as any).reason, String(e).slice(0, 600)); }
  }
}, 300000);
