// Tests the client address and the public URL behind proxies.
import { expect, test } from "vitest";
import { readForwarded } from "../../../host/forwarded.ts";

const SENT = {
  host: "inside:8787",
  "x-forwarded-for": "1.1.1.1, 2.2.2.2, 3.3.3.3",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "pdf.example.com",
};

test("without a trusted proxy, the headers of strangers mean nothing", () => {
  expect(readForwarded(SENT, "9.9.9.9", 0)).toEqual({ address: "9.9.9.9", isProxy: true });
  expect(readForwarded({ host: "a" }, "9.9.9.9", 0)).toEqual({ address: "9.9.9.9" });
});

test.each([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-real-ip",
  "via",
  "true-client-ip",
  "cf-connecting-ip",
])("%s shows that several clients can have an address", (name) => {
  expect(readForwarded({ [name]: "x" }, "9.9.9.9", 0).isProxy).toBe(true);
});

test.each([
  [1, "3.3.3.3"],
  [2, "2.2.2.2"],
  [5, "1.1.1.1"],
])("%i trusted proxies: the address that the outermost one saw", (proxies, address) => {
  expect(readForwarded(SENT, "9.9.9.9", proxies)).toMatchObject({ address, origin: "https://pdf.example.com" });
});

test.each([
  ["1.1.1.1, 2.2.2.2", 2, undefined],
  ["1.1.1.1, 2.2.2.2", 3, true],
  ["unknown", 1, true],
  [undefined, 1, true],
  [undefined, 0, undefined],
])("%s from %i trusted proxies: several clients can have the address: %s", (addresses, proxies, isProxy) => {
  const headers = addresses === undefined ? {} : { "x-forwarded-for": addresses };
  expect(readForwarded(headers, "9.9.9.9", proxies).isProxy).toBe(isProxy);
});

test.each([
  ["1.2.3.4:5678", "1.2.3.4"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["2001:db8::1", "2001:db8::1"],
])("the port of %s does not make it another client", (forwarded, address) => {
  expect(readForwarded({ "x-forwarded-for": `5.5.5.5, ${forwarded}` }, "9.9.9.9", 1)).toEqual({ address });
});

test("the host of the request where the proxy keeps it", () => {
  expect(readForwarded({ host: "a.example:8443", "x-forwarded-proto": "https" }, "9.9.9.9", 1)).toEqual({
    address: "9.9.9.9",
    isProxy: true,
    origin: "https://a.example:8443",
  });
});

test.each([
  { host: "a.example" },
  { host: "a.example", "x-forwarded-proto": "javascript" },
  { host: "a.example/path?", "x-forwarded-proto": "https" },
  { "x-forwarded-proto": "https" },
])("no origin of %o", (headers) => {
  expect(readForwarded(headers, undefined, 1)).toEqual({ address: undefined, isProxy: true });
});
