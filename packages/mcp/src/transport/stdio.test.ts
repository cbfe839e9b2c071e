import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import { splitLines } from "./lines.ts";
import { parseMessage } from "./parse.ts";
import { OutgoingMessages } from "./outgoing.ts";
import { stdioTransport, type ServerProcess } from "./stdio.ts";

const signal = new AbortController().signal;
const bytes = (text: string) => new TextEncoder().encode(text);

async function* stream(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield typeof part === "string" ? bytes(part) : part;
}

test("lines are found across chunks, whatever ends them", async () => {
  const whole = bytes('{"a":"ü"}\r\n\n  \n{"b":2}\n{"c":3}');
  const single = Array.from(whole, (byte) => new Uint8Array([byte]));
  expect(await Array.fromAsync(splitLines(stream(whole), 100))).toEqual(['{"a":"ü"}', '{"b":2}']);
  expect(await Array.fromAsync(splitLines(stream(...single), 100))).toEqual(['{"a":"ü"}', '{"b":2}']);
});

test("a line that is too long ends the reading, with and without a line break", async () => {
  const limit = 1024 * 1024;
  const long = "x".repeat(limit + 1);
  for (const parts of [[`${long}\n`], ["a\n", long.slice(5), long]]) {
    expect(Array.fromAsync(splitLines(stream(...parts), limit))).rejects.toThrow(
      "the server sent a message of more than 1 MiB",
    );
  }
  expect(await Array.fromAsync(splitLines(stream(long.slice(1), "\n"), limit))).toEqual([long.slice(1)]);
});

test("splitLines() does not keep an object for each byte of a server that sends one at a time", async () => {
  let kept = 0;
  async function* drip() {
    for (let count = 0; count < 100_000; count++) yield new Uint8Array([0x78]);
    Bun.gc(true);
    kept = heapStats().objectTypeCounts["Uint8Array"] ?? 0;
    yield new Uint8Array([0x0a]);
  }
  const [line] = await Array.fromAsync(splitLines(drip(), 1_000_000));
  expect([line?.length, kept < 50_000]).toEqual([100_000, true]);
});

test("a message with too many values is refused; characters in strings are no values", () => {
  const many = 2_000_001;
  const refused = [`[${"{},".repeat(many)}0]`, "[".repeat(many), `{"a":"\\\\",${'"b":[],'.repeat(many)}"c":1}`];
  for (const text of refused) {
    expect(() => parseMessage(text)).toThrow("the server sent a message with more than 2 million values");
  }
  const text = '\\"[,{'.repeat(many);
  expect(parseMessage(JSON.stringify({ text }))).toEqual({ text });
  expect(parseMessage(`"${"[".repeat(many)}`)).toBeUndefined();
});

test("messages that no one reads are refused beyond a limit", async () => {
  const reads = Promise.withResolvers<void>();
  const written: string[] = [];
  const queue = new OutgoingMessages(10, async (text) => {
    await reads.promise;
    written.push(text);
  });
  const sent = [queue.push("x".repeat(50)), queue.push("refused")];
  expect(await Promise.allSettled([sent[1]])).toMatchObject([
    { reason: { message: "The server does not read its messages" } },
  ]);
  reads.resolve();
  await sent[0];
  await queue.push("short");
  expect(written).toEqual(["x".repeat(50), "short"]);
});

test("a message that cannot be written rejects, and does not stop the next", async () => {
  let fails = true;
  const queue = new OutgoingMessages(100, () => (fails ? Promise.reject(new Error("EPIPE")) : Promise.resolve()));
  const first = queue.push("a");
  expect(first).rejects.toThrow("EPIPE");
  await first.catch(() => undefined);
  fails = false;
  await queue.push("b");
});

function program(output: AsyncIterable<Uint8Array>, exited = Promise.resolve("The program exited with code 0")) {
  const written: string[] = [];
  let ended = 0;
  const server: ServerProcess = {
    write: async (text) => void written.push(text),
    output,
    exited,
    stderr: () => "",
    end: async () => void ended++,
  };
  return { server, written, ended: () => ended };
}

async function connect(server: ServerProcess) {
  const heard: unknown[] = [];
  const closed = Promise.withResolvers<Error>();
  const transport = stdioTransport(() => server);
  await transport.start!({ message: (message) => heard.push(message), closed: closed.resolve }, signal);
  return { transport, heard, closed: closed.promise };
}

test("each message is a line; lines that are not JSON are skipped and counted", async () => {
  const { server, written } = program(stream('Listening\n{"id":1}\n{"id":\n[2]\n'));
  const { transport, heard, closed } = await connect(server);
  await transport.send({ text: "a\nb" } satisfies JsonObject, signal);
  expect((await closed).message).toBe("The program exited with code 0; skipped output lines that are not JSON: 2");
  expect(transport.noise?.()).toBe("skipped output lines that are not JSON: 2");
  expect([heard, written]).toEqual([[{ id: 1 }, [2]], ['{"text":"a\\nb"}\n']]);
});

test("a program that closes its output and keeps running is closed", async () => {
  const { server } = program(stream(), new Promise(() => undefined));
  const { closed } = await connect(server);
  expect((await closed).message).toBe("The program closed its output");
});

test("a message that is too long closes the connection with the reason", async () => {
  async function* endless() {
    const part = new Uint8Array(1024 * 1024).fill(0x78);
    for (;;) yield part;
  }
  const { closed } = await connect(program(endless()).server);
  expect((await closed).message).toBe(
    "MCP error -32000: Connection closed: the server sent a message of more than 16 MiB",
  );
});

test("close() ends the program, also one that is still being started", async () => {
  const one = program(stream());
  const { transport } = await connect(one.server);
  await transport.close!();
  expect(one.ended()).toBe(1);

  const late = program(stream());
  const started = Promise.withResolvers<ServerProcess>();
  const other = stdioTransport(() => started.promise);
  const starting = other.start!({ message: () => undefined, closed: () => undefined }, signal);
  await other.close!();
  started.resolve(late.server);
  await starting;
  expect(late.ended()).toBe(1);
  expect(other.send({}, signal)).rejects.toThrow("Connection closed");
});
