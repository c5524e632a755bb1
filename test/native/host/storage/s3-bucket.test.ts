import { AwsClient } from "aws4fetch";
import { beforeAll, beforeEach } from "vitest";
import { S3Bucket } from "../../../../host/storage/s3-bucket.ts";
import { testBucket } from "../../../support/bucket-conformance.ts";

const settings = {
  endpoint: "http://127.0.0.1:9411",
  bucket: "files",
  region: "us-east-1",
  accessKeyId: "access",
  secretAccessKey: "secretsecret",
};
let bucket: S3Bucket;
beforeAll(async () => {
  const aws = new AwsClient({ ...settings, service: "s3" });
  await aws.fetch(`${settings.endpoint}/files`, { method: "PUT" });
  bucket = await S3Bucket.open(settings);
});
beforeEach(async () => {
  for (;;) {
    const { objects } = await bucket.list();
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
});
testBucket(() => bucket);
