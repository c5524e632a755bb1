// Tests which requests count as one client when permits and memory are shared.
import { expect, test } from "vitest";
import type { RequestContext } from "../../../../src/app/context.ts";
import { requestClientId } from "../../../../src/app/dependencies.ts";
import { exactClientAt } from "../../../../src/service/http/clients/auth.ts";

function clientOf(headers: Record<string, string>, address?: string, keyHash?: string): string {
  const admission = keyHash === undefined ? undefined : { key: { hash: keyHash } };
  const raw = new Request("https://service/iiif/x", { headers });
  const env = address === undefined ? {} : { CLIENT_ADDRESS: address };
  return requestClientId({ var: { admission }, req: { raw }, env } as unknown as RequestContext);
}

test("a header that nobody has checked makes no other client", () => {
  const plain = clientOf({}, "203.0.113.7");
  for (const key of ["a", "b", "c"]) expect(clientOf({ "Api-Key": key }, "203.0.113.7")).toBe(plain);
  expect(clientOf({ "Api-Key": "a" }, "203.0.113.8")).not.toBe(plain);
  expect(clientOf({ "Api-Key": "a", "CF-Connecting-IP": "203.0.113.7" })).toBe(plain);
});

test("a network of IPv6 is one client", () => {
  const one = clientOf({}, "2001:db8:1:2::1");
  expect(clientOf({}, "2001:db8:1:2:ffff::9")).toBe(one);
  expect(clientOf({}, "2001:db8:1:3::1")).not.toBe(one);
});

test("an address is exactly one client only if it is known, and not one of many", () => {
  const at = (address?: string, headers = {}) => exactClientAt(new Headers(headers), address);
  expect(at("2001:db8:1:2::1")).not.toBe(at("2001:db8:1:2::2"));
  expect(at("203.0.113.7", { "CF-Connecting-IP": "203.0.113.8" })).toBe(at("203.0.113.7"));
  expect(at(undefined, { "CF-Connecting-IP": "203.0.113.7" })).toBe(at("203.0.113.7"));
  for (const many of ["2a06:98c0:3600::103", "240.16.0.1", "255.1.2.3"]) expect(at(many)).toBeUndefined();
  expect(at()).toBeUndefined();
});

test("a key that was checked is the client, wherever it comes from", () => {
  const hash = "5f0c".repeat(16);
  expect(clientOf({}, "203.0.113.7", hash)).toBe(clientOf({}, "203.0.113.8", hash));
  expect(clientOf({}, "203.0.113.7", hash)).not.toBe(clientOf({}, "203.0.113.7", "a1b2".repeat(16)));
});
