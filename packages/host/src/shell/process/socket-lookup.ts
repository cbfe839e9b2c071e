// The socket at the other end of a connection, asked of the kernel by its addresses: the table of all connections has to be
// walked as a whole.

import { dlopen, ptr } from "bun:ffi";
import { cLibraryNames } from "@keelson/disk/c-library";

export interface SocketEnd {
  /** IPv4. */
  readonly address: string;
  readonly port: number;
}

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const AF_INET = 2;
const IPPROTO_TCP = 6;
const MSG_DONTWAIT = 0x40;

const HEADER = 16;
const REQUEST = 56;
/** In an answer, behind the header: ports, addresses, and what follows them. */
const AT = { localPort: HEADER + 4, remotePort: HEADER + 6, inode: HEADER + 68 } as const;

const FUNCTIONS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  close: { args: ["i32"], returns: "i32" },
} as const;

type Library = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];
let library: Library | null | undefined;

/** The inode of the socket with these ends; undefined if it was not found. */
export function socketBetween(local: SocketEnd, remote: SocketEnd): string | undefined {
  library ??= loaded();
  if (library === null) return undefined;
  const { socket, send, recv, close } = library;
  const fd = socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  try {
    const request = requestFor(local, remote);
    if (Number(send(fd, ptr(request), request.length, 0)) !== request.length) return undefined;
    const answer = Buffer.alloc(1_024);
    const length = Number(recv(fd, ptr(answer), answer.length, MSG_DONTWAIT));
    const isFound = length >= AT.inode + 4 && answer.readUInt16LE(4) === SOCK_DIAG_BY_FAMILY;
    // Without a connection, the kernel names whoever listens on this port.
    const isOurs = isFound && answer.readUInt16BE(AT.localPort) === local.port;
    if (!isOurs || answer.readUInt16BE(AT.remotePort) !== remote.port) return undefined;
    const inode = answer.readUInt32LE(AT.inode);
    return inode === 0 ? undefined : String(inode);
  } finally {
    close(fd);
  }
}

function requestFor(local: SocketEnd, remote: SocketEnd): Buffer {
  const bytes = Buffer.alloc(HEADER + REQUEST);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  bytes.writeUInt16LE(NLM_F_REQUEST, 6);
  bytes[HEADER] = AF_INET;
  bytes[HEADER + 1] = IPPROTO_TCP;
  bytes.writeUInt32LE(0xffffffff, HEADER + 4);
  bytes.writeUInt16BE(local.port, HEADER + 8);
  bytes.writeUInt16BE(remote.port, HEADER + 10);
  bytes.set(local.address.split(".").map(Number), HEADER + 12);
  bytes.set(remote.address.split(".").map(Number), HEADER + 28);
  // Any cookie.
  bytes.fill(0xff, HEADER + 48, HEADER + 56);
  return bytes;
}

function loaded(): Library | null {
  for (const name of cLibraryNames()) {
    try {
      return dlopen(name, FUNCTIONS).symbols;
    } catch {
      continue;
    }
  }
  return null;
}
