// Tests without Docker that the images have the files that the service needs: starts the host in a folder with what each
// Dockerfile copies and does not delete. The tier "docker" tests built images.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../../../scripts/services/wrangler.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { startHost } from "../../support/host-server.ts";

// Beside the repository's files, so that packages can be linked instead of copied.
mkdirSync(join(root, "test/dist"), { recursive: true });
const image = mkdtempSync(join(root, "test/dist/image-"));
afterAll(() => rmSync(image, { recursive: true }));

const instructionsOf = (dockerfile: string) =>
  readFileSync(join(root, dockerfile), "utf8").replaceAll("\\\n", " ").split("\n");

/** Copies what the last stage of a Dockerfile copies from the repository, without what .dockerignore lists. */
function copyFromRepository(dockerfile: string): void {
  const instructions = instructionsOf(dockerfile);
  const stage = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));
  for (const line of stage.filter((line) => /^COPY (?!--from)/.test(line))) {
    const paths = line.split(/\s+/).slice(1);
    const to = paths.pop()!;
    for (const path of paths) {
      const target = to.endsWith("/") ? join(to, path.split("/").at(-1)!) : to;
      const filter = (source: string) => !/^container\/dist/.test(source.slice(root.length + 1));
      cpSync(join(root, path), join(image, target), { recursive: true, filter });
    }
  }
}

/** Links the packages that `npm prune --omit=dev` leaves, and deletes what the stage "modules" deletes. */
function linkPackages(): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  for (const path of Object.keys(packages).filter((path) => path !== "" && !packages[path]!.dev)) {
    if (path.lastIndexOf("node_modules/") > 0) continue;
    mkdirSync(dirname(join(image, path)), { recursive: true });
    execFileSync("cp", ["-al", join(root, path), join(image, path)]);
  }
  const deletes = instructionsOf("container/Dockerfile").filter((line) =>
    line.startsWith("RUN cd node_modules && rm "),
  );
  expect(deletes).toHaveLength(1);
  execFileSync("sh", ["-c", deletes[0]!.slice("RUN ".length)], { cwd: image });
}

test("with the files of the images, the host serves its pages, and converts without native engines", async () => {
  for (const dockerfile of ["container/Dockerfile", "host/Dockerfile"]) copyFromRepository(dockerfile);
  linkPackages();
  for (const path of ["package.json", "package-lock.json", "wasm/dist", "site/dist"]) {
    cpSync(join(root, path), join(image, path), { recursive: true });
  }
  const host = await startHost({
    program: join(image, "host/server.ts"),
    dataFolder: join(image, "data"),
    logFile: join(image, "host.log"),
    settings: { ENGINES: "threads" },
  });
  try {
    for (const path of ["/", "/docs", "/openapi.json"]) {
      expect((await fetch(`${host.url}${path}`)).status, path).toBe(200);
    }
    const body = new FormData();
    body.append("output", "page");
    body.append("file", new File([new Uint8Array(await textPdf(1))], "text.pdf"));
    const answer = await fetch(`${host.url}/png`, { method: "POST", body });
    expect(answer.status, await answer.clone().text()).toBe(200);
    const keys = execFileSync(process.execPath, ["--no-warnings", "scripts/keys.ts", "list", "--data", "data"], {
      cwd: image,
      encoding: "utf8",
    });
    expect(keys).toBe("No keys.\n");
  } finally {
    await host.stop();
  }
});
