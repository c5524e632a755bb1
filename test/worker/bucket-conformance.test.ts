// R2, as workerd has it, passes the tests of a bucket: the others behave as it does.

import { testBucket } from "../support/bucket-conformance.ts";
import { bucket, emptyBucketBeforeEach } from "./bucket.ts";

emptyBucketBeforeEach();
testBucket(() => bucket);
