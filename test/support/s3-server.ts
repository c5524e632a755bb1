// Starts S3Proxy, a server of the S3 protocol that stores objects in a folder, with an empty bucket.

import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { S3Settings } from "../../host/storage/s3/s3-client.ts";
import { s3ServerJars, s3ServerSources } from "../../scripts/services/s3-server.ts";
import { freePort, run } from "./processes.ts";

const BUCKET = "pagewright-files";
/** A Java program starts in three seconds, but needs many times as long on a busy machine. */
const STARTED_WITHIN_MS = 150_000;

export interface S3Server extends AsyncDisposable {
  readonly settings: S3Settings;
}

/** Returns the reason why the server cannot start on this machine, or undefined if it can. */
export async function missingS3Server(): Promise<string | undefined> {
  const jars = await readdir(s3ServerJars).catch(() => []);
  return jars.length > 0 ? undefined : "S3Proxy is not there. `npm test -- --project native` fetches it.";
}

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "s3-server-"));
  // For S3Proxy, a bucket is a folder.
  await mkdir(join(folder, "data", BUCKET), { recursive: true });
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    endpoint,
    bucket: BUCKET,
    region: "us-east-1",
    accessKeyId: "tests",
    secretAccessKey: "of the tests",
  };
  const properties = join(folder, "s3proxy.conf");
  await writeFile(properties, propertiesOf(settings, join(folder, "data")));
  const log = `-Dlogback.configurationFile=${join(s3ServerSources, "logback.xml")}`;
  const jvm = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", log, "-cp", join(s3ServerJars, "*")];
  const server = run("java", [...jvm, "org.gaul.s3proxy.Main", "--properties", properties]);
  const stop = async () => {
    server.child.kill("SIGKILL");
    await server.ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const answers = async () => (await fetch(endpoint)).body?.cancel();
    for (const started = performance.now(); ; await sleep(250)) {
      const failure = await answers().then(
        () => undefined,
        (error) => error,
      );
      if (!failure) break;
      if (performance.now() - started > STARTED_WITHIN_MS) throw failure;
    }
  } catch (error) {
    await stop();
    throw new Error(`S3Proxy does not answer:\n${server.output()}`, { cause: error });
  }
  return { settings, [Symbol.asyncDispose]: stop };
}

function propertiesOf({ endpoint, accessKeyId, secretAccessKey }: S3Settings, data: string): string {
  return Object.entries({
    "s3proxy.endpoint": endpoint,
    "s3proxy.authorization": "aws-v2-or-v4",
    "s3proxy.identity": accessKeyId,
    "s3proxy.credential": secretAccessKey,
    "jclouds.provider": "filesystem-nio2",
    "jclouds.filesystem.basedir": data,
    "jclouds.identity": "unused",
    "jclouds.credential": "unused",
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
