// Tests the settings of the host on Node.
import { expect, test } from "vitest";
import { engineEnvironment, readSettings } from "../../../host/settings.ts";
import { ISOLATE_CAPACITY } from "../../../src/service/settings/capacity.ts";

test("defaults", () => {
  const { budgets: _, ...settings } = readSettings({});
  expect(settings).toMatchObject({
    ...{ port: 8787, host: "127.0.0.1", apiKeys: [], trustedProxies: 0, stopMs: 25_000, startsEngines: true },
    stopDelayMs: 0,
    pictureCacheBytes: 2 ** 30,
    variables: { ALLOWED_HOSTS: "localhost" },
  });
});

test("the Worker's variables are passed on, others are not", () => {
  const { variables } = readSettings({
    VARIANT: "keyed",
    API_DIALECT: "current",
    MAX_UPLOAD_MB: "5",
    BASE_URL: "",
    HOST: "0.0.0.0",
    PATH: "/bin",
    API_KEYS: "a",
  });
  expect(variables).toEqual({ VARIANT: "keyed", API_DIALECT: "current", MAX_UPLOAD_MB: "5" });
});

test("the engines receive no secrets of the host", () => {
  const secrets = ["API_KEYS", "FORM_SECRET", "DATABASE_URL", "PGPASSWORD", "S3_SECRET_ACCESS_KEY"];
  const environment = Object.fromEntries([...secrets, "PATH", "URL_ALLOW"].map((name) => [name, "value"]));
  expect(engineEnvironment(environment)).toEqual({ PATH: "value", URL_ALLOW: "value" });
});

test.each([
  [{ HOST: "127.0.0.5" }, "localhost"],
  [{ HOST: "::1" }, "localhost"],
  [{ HOST: "localhost", BASE_URL: "" }, "localhost"],
  [{ ALLOWED_HOSTS: "pagewright, pdf.example.com" }, "pagewright, pdf.example.com"],
  [{ HOST: "0.0.0.0", ALLOWED_HOSTS: "pagewright" }, "pagewright"],
  [{ HOST: "0.0.0.0" }, undefined],
  [{ HOST: "10.0.0.1" }, undefined],
  [{ BASE_URL: "https://pdf.example.com" }, undefined],
  [{ TRUSTED_PROXIES: "1" }, undefined],
])("with %o, the names of the service are %s", (environment, hosts) => {
  expect(readSettings(environment).variables.ALLOWED_HOSTS).toBe(hosts);
});

test("a container elsewhere, or none: no engines are started", () => {
  expect(readSettings({ CONTAINER_URL: "http://engines:8080", CONTAINER_SECRET: "s" }).startsEngines).toBe(false);
  const off = readSettings({ ENGINES: "off" });
  expect([off.startsEngines, off.variables.CONTAINER_URL]).toEqual([false, "off"]);
});

test("engines that do not exist are refused, unless the container runs elsewhere", () => {
  expect(() => readSettings({ ENGINES: "office,word" })).toThrow(
    /^ENGINES has unknown engines: word. The engines are office, ghostscript/,
  );
  expect(readSettings({ ENGINES: "office, chromium" }).startsEngines).toBe(true);
});

test("metrics are served on a port of their own, if it is named", () => {
  expect(readSettings({ METRICS_HOST: "0.0.0.0" }).metrics).toBeUndefined();
  expect(readSettings({ METRICS_PORT: "9464" }).metrics).toEqual({
    ...{ port: 9464, host: "127.0.0.1", hosts: ["localhost"] },
  });
  const everywhere = { METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" };
  expect(readSettings(everywhere).metrics).toEqual({ port: 9464, host: "0.0.0.0" });
  expect(readSettings({ ...everywhere, ALLOWED_HOSTS: "pagewright" }).metrics?.hosts).toEqual(["pagewright"]);
});

test("keys are separated by commas", () => {
  expect(readSettings({ API_KEYS: " one, two,," }).apiKeys).toEqual(["one", "two"]);
});

test("a database is PostgreSQL, and its URL, which can have a password, is in no message", () => {
  const url = "postgres://user:secret@db/pagewright?sslmode=verify-full";
  expect(readSettings({ DATABASE_CONNECTIONS: "3" }).database).toBeUndefined();
  expect(readSettings({ DATABASE_URL: url, DATABASE_CONNECTIONS: "3" }).database).toEqual({ url, connections: 3 });
  expect(() => readSettings({ DATABASE_URL: "mysql://user:secret@db/pagewright" })).toThrow(
    /^DATABASE_URL must be a URL that starts with postgres:\/\/\.$/,
  );
});

test.each([
  ["DATABASE_CONNECTIONS", "0"],
  ["PORT", "http"],
  ["PORT", "70000"],
  ["METRICS_PORT", "0"],
  ["METRICS_PORT", "8787"],
  ["TRUSTED_PROXIES", "-1"],
  ["STOP_SECONDS", "1.5"],
  ["SHUTDOWN_GRACE_SECONDS", "1.5"],
  ["SHUTDOWN_DELAY_SECONDS", "-1"],
  ["MEMORY_MB", "1"],
  ["VARIANT", "open"],
  ["API_DIALECT", "2023"],
  ["MAX_UPLOAD_MB", "many"],
  ["MAX_UPLOAD_MB", "0"],
  ["MAX_UPLOAD_MB", "0.0000001"],
  ["MAX_OUTPUT_MB", "0"],
  ["ADDRESS_STORED_MEGABYTES", "1.5"],
  ["MAX_INPUTS", "-1"],
  ["MAX_INPUTS", "0"],
  ["MAX_INPUTS", "1.5"],
  ["FILE_LIFETIME_HOURS", "1e12"],
  ["BASE_URL", "pdf.example.com"],
  ["ALLOWED_HOSTS", "localhost:8787"],
  ["ALLOWED_HOSTS", "https://pdf.example.com"],
  ["ALLOWED_HOSTS", "pagewright,"],
  ["ALLOWED_HOSTS", "*, localhost"],
  ["BASE_URL", "ftp://pdf.example.com"],
  ["BASE_URL", "https://pdf.example.com:99999"],
  ["CONTAINER_URL", "engines:8080"],
])("%s=%s is refused in a sentence", (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be .*"${value}"`));
});

test.each([
  [{ SHUTDOWN_GRACE_SECONDS: "290" }, 290_000],
  [{ STOP_SECONDS: "5", SHUTDOWN_GRACE_SECONDS: "290" }, 5000],
])("%o: requests have %i ms after SIGTERM", (environment, stopMs) => {
  expect(readSettings(environment).stopMs).toBe(stopMs);
});

test("a container needs its secret", () => {
  expect(() => readSettings({ CONTAINER_URL: "http://engines:8080" })).toThrow(
    /^CONTAINER_URL needs .* CONTAINER_SECRET/,
  );
});

test.each(["one two", "clé", "x".repeat(257)])("a key that no request can have is refused, and not told: %s", (key) => {
  expect(() => readSettings({ API_KEYS: `good,${key}` })).toThrow(/^API_KEYS must be keys of 1 to 256 printable ASCII/);
});

test("more memory means more room for each purpose, and the least is no less than an isolate has", () => {
  const little = readSettings({ MEMORY_MB: "128" }).budgets;
  const much = readSettings({ MEMORY_MB: "4096" }).budgets;
  for (const name of [
    "uploads",
    "receivingJobs",
    "uploadMemoryPerRequestBytes",
    "uploadMemoryBytes",
    "edgeHeldBytes",
  ] as const) {
    expect(much[name]).toBeGreaterThan(little[name]);
  }
  for (const name of [
    "uploads",
    "receivingJobs",
    "uploadMemoryPerRequestBytes",
    "uploadMemoryBytes",
    "isolateBytes",
  ] as const) {
    expect(little[name]).toBeGreaterThanOrEqual(ISOLATE_CAPACITY[name]);
  }
  expect([little.preferredBackend, ISOLATE_CAPACITY.preferredBackend]).toEqual(["container", "edge"]);
});
