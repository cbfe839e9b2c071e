// Where a notification may go: anywhere that a worker reaches, except to the addresses that hand out its credentials.

import { lookup } from "node:dns/promises";

/** Addresses that answer every program of a machine with its credentials. */
const METADATA =
  /^(?:169\.254\.|100\.100\.100\.200$|168\.63\.129\.16$|\[fe[89ab]|\[fd00:ec2::254\]|\[fd20:ce::254\]|metadata\.|metadata$|.*\.internal$)/i;

/** Of IPv4 in IPv6, as `URL` writes it: mapped, compatible, translated, or for a gateway to IPv4. */
const IPV4_INSIDE = /^\[(?:::(?:ffff:(?:0:)?)?|64:ff9b:(?:1:)?:|2002:)([0-9a-f]{1,4}):([0-9a-f]{1,4})(?:\]|:)/;

function handsOutCredentials(hostname: string): boolean {
  const [, high, low] = IPV4_INSIDE.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return METADATA.test(hostname);
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  return METADATA.test(bytes.join("."));
}

export interface NotifyAddress {
  readonly url: URL;
  /** The name that was asked for. */
  readonly host: string;
}

/** The text is why nothing is sent there. */
export class RefusedTarget extends Error {
  override readonly name = "RefusedTarget";
}

/**
 * The addresses of a target, to be tried one after the other: what was judged is what is called, whatever the name leads to a moment
 * later. Only for http: what hands out credentials has no certificate for another name. Throws RefusedTarget.
 */
export async function notifyAddresses(
  target: string,
  resolve: (hostname: string) => Promise<readonly string[]> = resolved,
): Promise<readonly NotifyAddress[]> {
  const url = URL.parse(target);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new RefusedTarget("the target is not an http(s) address");
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw new RefusedTarget("the target has a user or password that is not percent-encoded");
  const { host } = url;
  const name = url.hostname.replace(/\.+$/, "");
  if (handsOutCredentials(name)) throw new RefusedTarget(`${url.hostname} gets no notifications`);
  const isAddress = name.startsWith("[") || /^\d+(?:\.\d+){3}$/.test(name);
  if (isAddress || url.protocol === "https:") return [{ url, host }];
  const found = (await resolve(name)).map((address) => {
    const at = new URL(url);
    at.hostname = address.includes(":") ? `[${address}]` : address;
    return { url: at, host };
  });
  const refused = found.find((each) => handsOutCredentials(each.url.hostname));
  if (refused !== undefined)
    throw new RefusedTarget(`${name} leads to ${refused.url.hostname}, which gets no notifications`);
  // Perhaps a proxy knows the name.
  return found.length === 0 ? [{ url, host }] : found;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

async function resolved(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
