// Decides which hosts and ports web pages can access: public addresses on ports 80 and 443, and the operator's
// additions. Opens no connections.

import type { LookupAddress } from "node:dns";
import { BlockList, isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { isPublicName } from "../../../../src/document/contract/web-url.ts";

/** Default ports of HTTP and HTTPS. */
const USUAL_PORTS: readonly number[] = [80, 443];

/**
 * Addresses that are not public: IANA's registry of IPv4 special-purpose addresses (RFC 6890 and its successors),
 * multicast and reserved addresses, and Azure's host agent, which configures virtual machines.
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
 * Global unicast addresses (RFC 4291, 2.4), the only public ones. Excludes mapped, NAT64, unique local, link-local and
 * multicast addresses.
 */
const GLOBAL_UNICAST_V6: readonly [string, number] = ["2000::", 3];

/**
 * Ranges of global unicast that are not public: protocol assignments with Teredo, benchmarking and ORCHID;
 * documentation; 6to4, which can reach any IPv4 address.
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

/** Reports whether an address is public and not assigned to this machine. */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, "ipv4") && !isOwn(address);
  // An address with a zone index is link-local.
  if (address.includes("%")) return false;
  return globalUnicastV6.check(address, "ipv6") && !notPublic.check(address, "ipv6") && !isOwn(address);
}

const isOwn = (address: string) =>
  Object.values(networkInterfaces()).some((own) => own?.some((known) => known.address === address));

/** One item of the operator's allow list. */
interface Rule {
  /** Host name, spelled as in requests. */
  readonly host?: string;
  readonly addresses?: BlockList;
  /** @default the usual ports */
  readonly port?: number | "any";
}

/** Rules for all visits. */
export interface PublicWeb {
  /** Allowed ports of public hosts, and of items without a port. @default 80 and 443 */
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
   * `[fd00::]/8`). IPv6 addresses are in brackets. `:port` or `:*` after an item replaces the usual ports
   */
  constructor(text: string, { usualPorts = USUAL_PORTS, isPublic: isPublicAddress = isPublic }: PublicWeb = {}) {
    this.#usualPorts = usualPorts;
    this.#isPublic = isPublicAddress;
    this.#rules = text
      .split(/[\s,]+/)
      .filter((item) => item !== "")
      .map(ruleOf);
  }

  /** Reports whether the operator allows a name at a port. The addresses of an allowed name are not checked. */
  hasName(host: string, port: number): boolean {
    return this.#rules.some((rule) => rule.host === host && this.#isPortOf(rule, port));
  }

  /** Reports whether public hosts can be visited on that port. */
  isUsualPort(port: number): boolean {
    return this.#usualPorts.includes(port);
  }

  /** Reports whether an address is public, and so needs no entry in the operator's list. */
  isPublic(address: string): boolean {
    return this.#isPublic(address);
  }

  /** Reports whether an address that is written in a URL is allowed at a port. */
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
  /** Uses all name sources of this machine. For names that the operator allows. */
  allowed(host: string): Promise<readonly string[]>;
}

/** The host is not allowed. Distinct from hosts that are unreachable. */
export class AddressBlocked extends Error {
  override readonly name = "AddressBlocked";
}

/**
 * Returns the allowed addresses of a host. The caller must connect to one of them. A name that the operator does not
 * list can resolve only to public addresses: otherwise, the owner of a name could point it to an internal address that
 * the operator allows.
 * @param host in the canonical form of the URL standard, but IPv6 without brackets
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
