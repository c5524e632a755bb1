// Lists URLs with addresses that lead to this machine, each with a name. Tests check that none of them is visited.

/**
 * Result of a request if the address is allowed. `always`: it reaches this machine. `never`: on most machines, it
 * fails.
 */
export type Reached = "always" | "never";

type PrivateAddress = readonly [name: string, reached: Reached, address: (port: number) => string];

/**
 * Ways to write 127.0.0.1 and ::1. The tests need a DNS server that answers for `attack.net` ({@link attackersDns}).
 */
export const privateAddresses: readonly PrivateAddress[] = [
  ["127.0.0.1", "always", (port) => `http://127.0.0.1:${port}/`],
  ["decimal", "always", (port) => `http://2130706433:${port}/`],
  ["octal", "always", (port) => `http://0177.0.0.1:${port}/`],
  ["hex", "always", (port) => `http://0x7f.0.0.1:${port}/`],
  ["hex in one", "always", (port) => `http://0x7f000001:${port}/`],
  ["short", "always", (port) => `http://127.1:${port}/`],
  ["full-width digits", "always", (port) => `http://１２７.0.0.1:${port}/`],
  ["a trailing dot", "always", (port) => `http://127.0.0.1.:${port}/`],
  ["user-info", "always", (port) => `http://public.net@127.0.0.1:${port}/`],
  ["a backslash", "always", (port) => `http://127.0.0.1:${port}\\@public.net/`],
  ["localhost", "always", (port) => `http://localhost:${port}/`],
  ["localhost and a dot", "always", (port) => `http://localhost.:${port}/`],
  ["::1", "always", (port) => `http://[::1]:${port}/`],
  ["::1 in full", "always", (port) => `http://[0:0:0:0:0:0:0:1]:${port}/`],
  ["IPv4-mapped", "always", (port) => `http://[::ffff:127.0.0.1]:${port}/`],
  ["IPv4-mapped in hex", "always", (port) => `http://[::ffff:7f00:1]:${port}/`],
  ["0.0.0.0", "always", (port) => `http://0.0.0.0:${port}/`],
  ["::", "always", (port) => `http://[::]:${port}/`],
  ["TLS", "always", (port) => `https://127.0.0.1:${port}/`],
  // A name is not allowed because its address is.
  ["a name that leads there", "never", (port) => `http://loopback.attack.net:${port}/`],
  ["a name that leads to ::1", "never", (port) => `http://loopback6.attack.net:${port}/`],
  // No kernel routes these to its loopback device. web-proxy.test.ts tests that the proxy does not connect to them.
  ["6to4", "never", (port) => `http://[2002:7f00:1::]:${port}/`],
  ["NAT64", "never", (port) => `http://[64:ff9b::7f00:1]:${port}/`],
  ["Teredo", "never", (port) => `http://[2001:0:7f00:1::80ff:fffe]:${port}/`],
];

/** Further ways, which only clients other than browsers accept, and special addresses of clouds and networks. */
export const furtherAddresses: readonly (readonly [name: string, address: (port: number) => string])[] = [
  ["octal in one", (port) => `http://017700000001:${port}/`],
  ["octal with zeros", (port) => `http://0000177.0000.0000.0001:${port}/`],
  ["three parts", (port) => `http://127.0.1:${port}/`],
  ["hex in every part", (port) => `http://0x7f.0x0.0x0.0x1:${port}/`],
  ["mixed bases", (port) => `http://0x7f.0.01:${port}/`],
  ["another loopback address", (port) => `http://127.255.255.254:${port}/`],
  ["percent-encoded", (port) => `http://%31%32%37.0.0.1:${port}/`],
  ["circled digits", (port) => `http://①②⑦.⓪.⓪.①:${port}/`],
  ["an ideographic full stop", (port) => `http://127。0。0。1:${port}/`],
  ["user and password", (port) => `http://public.net:80@127.0.0.1:${port}/`],
  ["an encoded at sign", (port) => `http://public.net%40127.0.0.1:${port}/`],
  ["a fragment for a host", (port) => `http://127.0.0.1:${port}#@public.net/`],
  ["a tab and a line end", (port) => `http://127.0.\t0.1:${port}\n/`],
  ["a scheme without slashes", (port) => `http:127.0.0.1:${port}/`],
  ["capital letters", (port) => `HTTP://LOCALHOST:${port}/`],
  ["a name below localhost", (port) => `http://a.localhost:${port}/`],
  ["a zone index", (port) => `http://[::1%25lo]:${port}/`],
  ["IPv4-compatible", (port) => `http://[::127.0.0.1]:${port}/`],
  ["NAT64 of a network", (port) => `http://[64:ff9b:1::7f00:1]:${port}/`],
  ["metadata of clouds", (port) => `http://169.254.169.254:${port}/latest/meta-data/`],
  ["metadata by IPv6", (port) => `http://[fd00:ec2::254]:${port}/`],
  ["metadata by name", (port) => `http://metadata.google.internal:${port}/`],
  ["a private network", (port) => `http://10.0.0.1:${port}/`],
  ["a name of a private address", (port) => `http://ten.attack.net:${port}/`],
  ["a name of several addresses", (port) => `http://both.attack.net:${port}/`],
];

/** Returns the addresses of the names above, as a DNS server controlled by an attacker. */
export function attackersDns(name: string): readonly string[] {
  if (name === "loopback6.attack.net") return ["::1"];
  if (name === "ten.attack.net") return ["10.0.0.1"];
  if (name === "both.attack.net") return ["127.0.0.1", "169.254.169.254", "::1"];
  return ["127.0.0.1"];
}
