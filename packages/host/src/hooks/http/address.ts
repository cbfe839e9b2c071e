// Decides which IP addresses HTTP hooks and monitors may reach: the public internet and this machine. Rejects what it
// cannot parse.

/** The kind of network if it is forbidden; undefined if it is allowed. */
export function forbiddenNetwork(address: string): string | undefined {
  const bare = address.replace(/%.*$/s, ""); // the zone of a link-local address
  const four = parseIpv4(bare);
  if (four !== undefined) return forbiddenIpv4(four);
  const six = parseIpv6(bare);
  return six ? forbiddenIpv6(six) : "not an IP address";
}

/** Whether it is an address of this machine. */
export function isLoopback(address: string): boolean {
  const four = parseIpv4(address);
  if (four !== undefined) return four >>> 24 === 127;
  const six = parseIpv6(address);
  if (!six) return false;
  const [mapped, high, low] = six.slice(5);
  if (!six.slice(0, 5).every((group) => group === 0)) return false;
  return mapped === 0xffff ? high! >>> 8 === 127 : mapped === 0 && high === 0 && low === 1;
}

type Range = readonly [network: string, bits: number, place: string];

const IPV4_RANGES: readonly Range[] = [
  ["0.0.0.0", 8, "the unspecified network"],
  ["10.0.0.0", 8, "a private network"],
  ["100.64.0.0", 10, "a carrier's private network"],
  ["168.63.129.16", 32, "a cloud provider's control address"],
  ["169.254.0.0", 16, "a link-local network (cloud metadata)"],
  ["172.16.0.0", 12, "a private network"],
  ["192.0.0.0", 24, "a reserved network"],
  ["192.0.2.0", 24, "a documentation network"],
  ["192.88.99.0", 24, "a reserved network"],
  ["192.168.0.0", 16, "a private network"],
  ["198.18.0.0", 15, "a benchmark network"],
  ["198.51.100.0", 24, "a documentation network"],
  ["203.0.113.0", 24, "a documentation network"],
  ["224.0.0.0", 4, "a multicast network"],
  ["240.0.0.0", 4, "a reserved or broadcast network"],
];

/** 127.0.0.0/8 is not in the list: this machine is allowed. */
function forbiddenIpv4(address: number): string | undefined {
  return IPV4_RANGES.find(([network, bits]) => (address ^ parseIpv4(network)!) >>> (32 - bits) === 0)?.[2];
}

/** An IPv4 address that a gateway would extract and forward to. Loopback there is not this machine. */
function forbiddenEmbedded(address: number): string | undefined {
  return address >>> 24 === 127 ? "an embedded loopback address" : forbiddenIpv4(address);
}

function forbiddenIpv6(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0, , fifth = 0, sixth = 0, seventh = 0, last = 0] = groups;
  const startsWithZeros = (count: number) => groups.slice(0, count).every((group) => group === 0);
  const wrapped = joinGroups(seventh, last);

  if (startsWithZeros(7) && last === 1) return undefined;
  if (startsWithZeros(8)) return "the unspecified address";
  if (startsWithZeros(5) && sixth === 0xffff) return forbiddenIpv4(wrapped); // IPv4-mapped: the kernel uses IPv4
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0)) {
    return forbiddenEmbedded(wrapped); // NAT64
  }
  if (first >= 0xfc00 && first <= 0xfdff) return "a private network";
  if (first >= 0xfe80 && first <= 0xfebf) return "a link-local network";
  if (first >= 0xff00) return "a multicast network";
  if (first < 0x2000 || first > 0x3fff) return "a reserved network";
  if (first === 0x2001 && second < 0x200) return "a reserved network"; // Teredo, ORCHID, benchmarks
  if (first === 0x2001 && second === 0xdb8) return "a documentation network";
  if (first === 0x3fff && second < 0x1000) return "a documentation network";
  if (first === 0x2002) return forbiddenEmbedded(joinGroups(second, third)); // 6to4
  if (sixth === 0x5efe && (fifth === 0 || fifth === 0x200)) return forbiddenEmbedded(wrapped); // ISATAP
  return undefined;
}

const joinGroups = (high: number, low: number) => ((high << 16) | low) >>> 0;

/** Four decimal numbers. The URL parser has converted every other valid spelling. */
function parseIpv4(text: string): number | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  if (parts.some((part) => part > 255)) return undefined;
  return parts.reduce((address, part) => address * 256 + part, 0);
}

function parseIpv6(text: string): number[] | undefined {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const four = parseIpv4(tail);
  const plain =
    four === undefined
      ? text
      : `${text.slice(0, -tail.length)}${(four >>> 16).toString(16)}:${(four & 0xffff).toString(16)}`;
  const halves = plain.split("::");
  if (halves.length > 2) return undefined;
  const [before, after = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - before!.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...before!, ...Array.from({ length: missing }, () => "0"), ...after];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : undefined;
}
