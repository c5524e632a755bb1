// Tests the settings for the addresses that web pages can reach, and their errors.
import { expect, test } from "vitest";
import { readWebSettings } from "../../../container/engines/web/web-settings.ts";

test("without settings, there is only the public web, and the machine's DNS servers are asked", () => {
  expect(readWebSettings({})).toEqual({ allow: "" });
  expect(readWebSettings({ URL_ALLOW: "", URL_DNS: " " })).toEqual({ allow: "" });
});

test("items are separated by commas and spaces", () => {
  const allow = "wiki.corp, 10.1.0.0/16:8080, [fd00::]/8:*";
  const settings = readWebSettings({ URL_ALLOW: allow, URL_DNS: "10.0.0.53, [fd00::35]:5353" });
  expect(settings).toEqual({ allow, dnsServers: ["10.0.0.53", "[fd00::35]:5353"] });
});

test.each([
  [{ URL_ALLOW: "https://wiki.corp" }, 'URL_ALLOW: "https://wiki.corp" is not a name, an address or a network.'],
  [{ URL_DNS: "dns.corp" }, "URL_DNS: Invalid IP address: dns.corp"],
])("%j is refused with a sentence", (environment, sentence) => {
  expect(() => readWebSettings(environment)).toThrow(new Error(sentence));
});
