// The allow list of hosts and ports for web pages: public addresses on ports 80 and 443, and additions by the operator.
// Opens no connections.

import type { LookupAddress } from "node:dns";
import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { isPublicName } from "../../../../src/document/contract/web-url.ts";

/** Default ports of HTTP and HTTPS. */
const USUAL_PORTS: readonly number[] = [80, 443];

/**
 * IANA's registry of IPv4 special-purpose addresses (RFC 6890 and its successors), multicast and reserved addresses;
 * and the address of Azure's host agent, which configures virtual machines.
 */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * Global unicast addresses (RFC 4291, 2.4), the only public ones: not mapped, NAT64, unique local, link-local or
 * multicast addresses.
 */
const GLOBAL_UNICAST_V6: readonly [string, number] = ["2000::", 3];

/**
 * Non-public ranges within global unicast: protocol assignments with Teredo, benchmarking and ORCHID; documentation;
 * 6to4, which can reach any IPv4 address.
 */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const globalUnicastV6 = new BlockList();
globalUnicastV6.addSubnet(...GLOBAL_UNICAST_V6, "ipv6");
const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) notPublic.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of NOT_PUBLIC_V6) notPublic.addSubnet(network, prefix, "ipv6");

/** Reports whether an address is reachable for everyone on the internet, and not assigned to this machine. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, "ipv4") && !isOwn(address);
  // An address with a zone index is link-local.
  if (address.includes("%")) return false;
  return globalUnicastV6.check(address, "ipv6") && !notPublic.check(address, "ipv6") && !isOwn(address);
}

const isOwn = (address: string) =>
  Object.values(networkInterfaces()).some((own) => own?.some((known) => known.address === address));

/** One item of the operator's list. */
interface Rule {
  /** Name, as requests spell it. */
  readonly host?: string;
  readonly addresses?: BlockList;
  /** @default the usual ports */
  readonly port?: number | "any";
}

/** Rules for all visits. */
export interface PublicWeb {
  /** Ports of public hosts, and of items without a port. @default 80 and 443 */
  readonly usualPorts?: readonly number[];
  /** @default {@link isPublic} */
  readonly isPublic?: (address: string) => boolean;
}

/** Allows the public web on its usual ports, and the operator's additions, such as an intranet. */
export class AllowList {
  readonly #rules: readonly Rule[];
  readonly #usualPorts: readonly number[];
  readonly #isPublic: (address: string) => boolean;

  /**
   * @param text items separated by commas or spaces. An item is a name, an address or a network (`10.1.0.0/16`,
   * `[fd00::]/8`), followed by `:port` or `:*` if it is not for the usual ports alone. IPv6 addresses are in brackets
   * @throws Error that names the invalid item
   */
  constructor(text: string, { usualPorts = USUAL_PORTS, isPublic: isPublicAddress = isPublic }: PublicWeb = {}) {
    this.#usualPorts = usualPorts;
    this.#isPublic = isPublicAddress;
    this.#rules = text
      .split(/[\s,]+/)
      .filter((item) => item !== "")
      .map(ruleOf);
  }

  /** Reports whether a name is allowed at that port by the operator, regardless of its address. */
  hasName(host: string, port: number): boolean {
    return this.#rules.some((rule) => rule.host === host && this.#isPortOf(rule, port));
  }

  /** Reports whether public hosts can be visited on that port. */
  isUsualPort(port: number): boolean {
    return this.#usualPorts.includes(port);
  }

  /** Reports whether an address is allowed without an entry in the operator's list. */
  isPublic(address: string): boolean {
    return this.#isPublic(address);
  }

  /** Reports whether a numeric address in a request is allowed at that port. */
  hasAddress(address: string, port: number): boolean {
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    if (this.isUsualPort(port) && this.isPublic(address)) return true;
    return this.#rules.some((rule) => rule.addresses?.check(address, family) && this.#isPortOf(rule, port));
  }

  #isPortOf({ port }: Rule, wanted: number): boolean {
    return port === undefined ? this.isUsualPort(wanted) : port === "any" || port === wanted;
  }
}

function ruleOf(item: string): Rule {
  const [, bracketed, plain, prefix, portText] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?:\/(\d{1,3}))?(?::(\d{1,5}|\*))?$/i.exec(item) ?? [];
  const host = (bracketed ?? plain ?? "").toLowerCase();
  const family = isIP(host);
  const port = portText === undefined ? {} : { port: portText === "*" ? ("any" as const) : Number(portText) };
  if (family === 0 && prefix === undefined && bracketed === undefined && host !== "") return { host, ...port };
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || Number(prefix ?? bits) > bits)
    throw new Error(`"${item}" is not a name, an address or a network.`);
  const addresses = new BlockList();
  addresses.addSubnet(host, Number(prefix ?? bits), family === 4 ? "ipv4" : "ipv6");
  return { addresses, ...port };
}

/** Resolves names to addresses. */
export interface DnsResolver {
  /**
   * Uses only DNS, because pages must not reach names from other sources, such as this machine's hosts file.
   */
  public(host: string): Promise<readonly string[]>;
  /** Uses all name sources of this machine, for names that the operator allows. */
  allowed(host: string): Promise<readonly string[]>;
}

/** The host is not allowed, as opposed to unreachable. */
export class AddressBlocked extends Error {
  override readonly name = "AddressBlocked";
}

/**
 * Returns the allowed addresses of a host; the caller must connect to one of these. A public name can resolve only to
 * public addresses. Otherwise, the owner of any name could point it to an internal address that the operator allows.
 * @param host canonical, as in the URL standard, with IPv6 without brackets
 * @throws AddressBlocked; errors of the lookup
 */
export async function resolveAllowed(
  host: string,
  port: number,
  allow: AllowList,
  lookups: DnsResolver,
): Promise<readonly LookupAddress[]> {
  const name = host.replace(/\.$/, "");
  const found = async () => {
    if (isIP(name) !== 0) return [name].filter((address) => allow.hasAddress(address, port));
    if (allow.hasName(name, port)) return lookups.allowed(name);
    if (!allow.isUsualPort(port)) throw new AddressBlocked(`${port} is not a port of web pages`);
    if (!isPublicName(name)) throw new AddressBlocked(`${name} is no public name`);
    return (await lookups.public(name)).filter((address) => allow.isPublic(address));
  };
  const addresses = await found();
  if (addresses.length === 0) throw new AddressBlocked(`${host}:${port} is not public`);
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
