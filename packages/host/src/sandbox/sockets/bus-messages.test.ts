import { expect, test } from "bun:test";
import { isAllowed } from "./bus.ts";
import { createSplitter, errorReply, type CallHeader } from "./bus-messages.ts";

const SIGN_IN = ["\0AUTH EXTERNAL 31303030\r\n", "NEGOTIATE_UNIX_FD\r\n", "BEGIN\r\n"];

/** A call, written by hand from the specification. */
function message(fields: readonly (readonly [code: number, type: string, value: string])[], endian: "l" | "B" = "l") {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (endian === "l") bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const to8 = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
  const written = fields.map(([code, type, value]) =>
    Buffer.concat([
      Buffer.from([code, 1, type.charCodeAt(0), 0]),
      type === "g" ? Buffer.from(`${String.fromCharCode(value.length)}${value}\0`) : number(value.length),
      type === "g" ? Buffer.alloc(0) : Buffer.from(`${value}\0`),
    ]),
  );
  const all = written.reduce((before, each) => Buffer.concat([to8(before), each]), Buffer.alloc(0));
  const head = Buffer.concat([Buffer.from([endian.charCodeAt(0), 1, 0, 1]), number(2), number(7), number(all.length)]);
  return Buffer.concat([to8(Buffer.concat([head, all])), Buffer.from("ab")]);
}

test.each(["l", "B"] as const)("lines and messages are found wherever the stream is cut (%s)", (endian) => {
  const calls = [
    message(
      [
        [1, "o", "/"],
        [6, "s", "org.freedesktop.DBus"],
        [3, "s", "Hello"],
      ],
      endian,
    ),
    message(
      [
        [8, "g", "su"],
        [6, "s", ":1.7"],
        [1, "o", "/a/b"],
      ],
      endian,
    ),
  ];
  const stream = Buffer.concat([...SIGN_IN.map((line) => Buffer.from(line)), ...calls]);
  for (const size of [1, 3, 16, stream.length]) {
    const split = createSplitter({ begins: /^BEGIN\r\n$/ });
    const parts = [];
    for (let at = 0; at < stream.length; at += size) parts.push(...split(stream.subarray(at, at + size))!);
    expect(parts.map(({ bytes }) => bytes.toString("latin1"))).toEqual([
      ...SIGN_IN,
      ...calls.map((call) => call.toString("latin1")),
    ]);
    expect(parts.map(({ header }) => header)).toEqual([
      ...SIGN_IN.map(() => undefined),
      { type: 1, serial: 7, destination: "org.freedesktop.DBus", member: "Hello" },
      { type: 1, serial: 7, destination: ":1.7" },
    ]);
  }
});

const broken: readonly (readonly [string, Buffer])[] = [
  ["neither a line nor a message", Buffer.from(`BEGIN\r\nxxxx${"\0".repeat(20)}`)],
  [
    "a field given twice",
    Buffer.concat([
      Buffer.from("BEGIN\r\n"),
      message([
        [6, "s", "org.freedesktop.secrets"],
        [6, "s", "evil"],
      ]),
    ]),
  ],
  ["a field of another type", Buffer.concat([Buffer.from("BEGIN\r\n"), message([[6, "v", "x"]])])],
  ["a line without an end", Buffer.alloc(20_000, "A")],
  ["more than a message may have", Buffer.concat([Buffer.from("BEGIN\r\nl\u0001\0\u0001"), Buffer.alloc(12, 0x7f)])],
];

test.each(broken)("%s ends the connection", (_, bytes) => {
  expect(createSplitter({ begins: /^BEGIN\r\n$/ })(bytes)).toBeNull();
});

test("a refusal is a message that answers the call", () => {
  const [part] = createSplitter({})(errorReply({ type: 1, serial: 7 }, "no"))!;
  expect(part!.header).toEqual({ type: 3, serial: 0xffff_fffe });
  expect(part!.bytes.toString("latin1")).toContain("org.freedesktop.DBus.Error.AccessDenied");
});

test.each<[Partial<CallHeader>, boolean]>([
  [{ destination: "org.freedesktop.secrets", member: "OpenSession" }, true],
  [{ destination: "org.kde.kwalletd6", member: "open" }, true],
  [{ destination: "org.freedesktop.Notifications", member: "Notify" }, true],
  [{ destination: "org.freedesktop.DBus", member: "AddMatch" }, true],
  [{ destination: "org.freedesktop.DBus", member: "UpdateActivationEnvironment" }, false],
  [{ destination: "org.freedesktop.DBus", member: "StartServiceByName" }, false],
  [{ destination: "org.freedesktop.DBus", member: "RequestName" }, false],
  [{ destination: "org.freedesktop.DBus", member: "BecomeMonitor" }, false],
  [{ destination: "org.freedesktop.systemd1", member: "StartTransientUnit" }, false],
  [{ destination: "org.freedesktop.secrets.evil" }, false],
  [{ destination: "org.freedesktop.portal.Flatpak", member: "Spawn" }, false],
  [{ destination: ":1.1", member: "StartTransientUnit" }, false],
  [{ member: "Introspect" }, false],
  [{ type: 4, destination: "org.freedesktop.secrets" }, false],
  [{ type: 2, destination: ":1.1" }, false],
])("%j may pass: %s", (header, expected) => {
  expect(isAllowed({ type: 1, serial: 1, ...header })).toBe(expected);
});
