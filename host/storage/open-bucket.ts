// Opens the configured bucket: a folder, or a bucket of an S3-compatible store.
//
// - S3_ENDPOINT: URL of the store; without it, files are in the data folder
// - S3_BUCKET, S3_REGION: name of the bucket, and region
// - S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY: credentials

import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bucket } from "../../src/service/ports/bucket.ts";
import { resumableIds } from "../../src/service/storage/uploads/upload-state.ts";
import { FileBucket } from "./folder/file-bucket.ts";
import { S3Bucket } from "./s3/s3-bucket.ts";
import type { S3Settings } from "./s3/s3-client.ts";

const DEFAULT_BUCKET = "pagewright-files";
const DEFAULT_REGION = "us-east-1";

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Error with a message for the operator if a setting is invalid, or the bucket is unusable */
export async function openBucket(dataFolder: string, environment: Environment): Promise<Bucket & Disposable> {
  const settings = readS3Settings(environment);
  if (settings) return S3Bucket.open(settings);
  const bucket = await FileBucket.open(dataFolder);
  // Deletes uploads that no state object mentions. In an S3 store, a lifecycle rule deletes them.
  await bucket.removeUploadsExcept(await resumableIds(bucket));
  return bucket;
}

/** Returns a text that is the same for all hosts with the store. A folder has one host. */
export async function storeIdentity(dataFolder: string, environment: Environment): Promise<string> {
  const settings = readS3Settings(environment);
  if (settings) return `bucket ${settings.bucket}`;
  const file = join(dataFolder, "store-id");
  await writeFile(file, randomUUID(), { flag: "wx", mode: 0o600 }).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  return `folder ${await readFile(file, "utf8")}`;
}

/** @returns undefined without S3_ENDPOINT */
export function readS3Settings(environment: Environment): S3Settings | undefined {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!endpoint) return undefined;
  if (!/^https?:\/\/[^/]+\/?$/.test(endpoint)) {
    throw new Error(`S3_ENDPOINT must be an http or https URL without a path, not "${endpoint}".`);
  }
  if (!accessKeyId || !secretAccessKey) {
    throw new Error("S3_ENDPOINT needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.");
  }
  const { S3_BUCKET: bucket, S3_REGION: region } = environment;
  return {
    endpoint,
    bucket: bucket || DEFAULT_BUCKET,
    region: region || DEFAULT_REGION,
    accessKeyId,
    secretAccessKey,
  };
}
