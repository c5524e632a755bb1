// Tests that R2 in workerd passes the tests for buckets, because all other buckets must behave in the same way.

import { testBucket } from "../support/bucket-conformance.ts";
import { bucket, emptyBucketBeforeEach } from "./bucket.ts";

emptyBucketBeforeEach();
testBucket(() => bucket);
