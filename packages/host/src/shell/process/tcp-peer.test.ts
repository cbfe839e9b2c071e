import { expect, test } from "bun:test";
import { testUnless } from "@keelson/testkit";
import { readFileSync } from "node:fs";
import { socketBetween } from "./socket-lookup.ts";
import { isCommandAt, socketsIn } from "./tcp-peer.ts";

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:11F8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 111 1 0000000000000000
   1: 0100007F:C350 0100007F:11F8 01 00000000:00000000 00:00000000 00000000  1000        0 222 1 0000000000000000
   2: 0100007F:11F8 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 333 1 0000000000000000
  10: 0200007F:C350 0100007F:11F8 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000
`;

const onLinux = testUnless(process.platform === "linux" ? null : "there is nothing to look up", test);

test("the end of the other side is found in a table of connections", () => {
  expect(socketsIn(table, 0xc350, 0x11f8)).toEqual(["222", "0"]);
  expect(socketsIn(table, 0x11f8, 0xc350)).toEqual(["333"]);
  expect(socketsIn(table, 1, 2)).toEqual([]);
});

onLinux("the kernel finds one connection as its table does, and no other", async () => {
  using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  // As an IPv6 socket, which is in another table.
  for (const hostname of ["127.0.0.1", "::ffff:127.0.0.1"]) {
    const client = await Bun.connect({ hostname, port: server.port, socket: { data() {} } });
    const [here, there] = [client.localPort, server.port].map((port) => ({ address: "127.0.0.1", port }));
    const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFileSync(path, "latin1")).join("");
    expect(socketBetween(here!, there!)).toBe(socketsIn(tables, here!.port, there!.port)[0]!);
    expect(socketBetween(there!, { ...here!, port: 1 })).toBeUndefined();
    expect(socketBetween({ ...here!, port: 1 }, there!)).toBeUndefined();
    client.terminate();
  }
});

test("our own connection is no command's, and one that is closed has nobody who waits", async () => {
  const accepted = Promise.withResolvers<{ address: string; port: number }>();
  using server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => accepted.resolve({ address: socket.remoteAddress, port: socket.remotePort }),
      data() {},
    },
  });
  const client = await Bun.connect({ hostname: "127.0.0.1", port: server.port, socket: { data() {} } });
  const peer = await accepted.promise;
  expect(isCommandAt(peer, server.port)).toBe(false);
  expect(isCommandAt({ ...peer, address: "192.0.2.1" }, server.port)).toBe(false);
  client.terminate();
  if (process.platform === "linux") while (!isCommandAt(peer, server.port)) await Bun.sleep(1);
});
