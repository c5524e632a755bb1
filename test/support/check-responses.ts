// Checks the responses of each test over HTTP. Test files that run in one worker share its modules except this one, so
// that the two checks replace functions only once.
import { afterEach } from "vitest";
import { failIfUndescribed } from "./check-described.ts";
import { failIfLeaking } from "./check-outputs.ts";

afterEach(failIfUndescribed);
afterEach(failIfLeaking);
