// Everything that can go wrong with a language server.

import { expect, test } from "bun:test";
import { isAlive, until } from "../alive.test-support.ts";
import { languageWorld } from "./world.test-support.ts";

test("a server that ends while it works on an answer is started again and asked once more", async () => {
  await using w = languageWorld({ fake: { diesOn: { method: "textDocument/hover", once: "died" } } });
  w.write("a.fake", "def one\n");
  expect(await w.ask("hover", "a.fake", 1, 5)).toMatchObject({ hover: `**one** in ${w.path("a.fake")}` });
  expect(w.pids()).toHaveLength(2);
  expect(w.servers.status()).toMatchObject([
    { state: "running", restarts: 1, reason: "The program exited with code 9" },
  ]);
});

test("a server that is killed while it works is started again", async () => {
  await using w = languageWorld({ fake: { ignores: ["textDocument/hover"] } });
  w.write("a.fake", "def one\n");
  const stop = new AbortController();
  const asked = w.fails("hover", "a.fake", 1, 5, stop.signal);
  await until(() => w.messages("textDocument/hover").length === 1, "it was asked");
  process.kill(w.pids()[0]!, "SIGKILL");
  await until(() => w.messages("textDocument/hover").length === 2, "the next one was asked");
  expect(w.pids()).toHaveLength(2);
  stop.abort();
  expect(await asked).toBe("cancelled: The request was cancelled");
  await until(() => w.messages("$/cancelRequest").length === 1, "the server heard of it");
});

test("a server that always ends is started a limited number of times, with pauses between", async () => {
  const pauses: number[] = [];
  const wait = async (ms: number, signal?: AbortSignal) => void (signal && pauses.push(ms));
  await using w = languageWorld({
    fake: { diesOn: { method: "textDocument/hover" } },
    server: { maxRestarts: 2 },
    machine: { wait },
  });
  w.write("a.fake", "def one\n");
  const ended = "closed: The program exited with code 9";
  const givenUp = "start: It ended 3 times and is not started again: The program exited with code 9";
  expect([
    await w.fails("hover", "a.fake"),
    await w.fails("hover", "a.fake"),
    await w.fails("hover", "a.fake"),
  ]).toEqual([ended, givenUp, givenUp]);
  expect(pauses).toEqual([250, 500]);
  expect(w.pids()).toHaveLength(3);
  expect(w.servers.status()).toMatchObject([{ state: "failed", restarts: 3 }]);
});

test("a server that ends right after the handshake, or with an edit, is an error and no endless loop", async () => {
  const wait = async () => undefined;
  await using w = languageWorld({
    fake: { diesOn: { method: "initialized" } },
    server: { maxRestarts: 2 },
    machine: { wait },
  });
  w.write("a.fake", "def one\n");
  const said = [await w.fails("hover", "a.fake"), await w.fails("hover", "a.fake")];
  expect(said[1]).toBe("start: It ended 3 times and is not started again: The program exited with code 9");
  await using v = languageWorld({
    fake: { pulls: true, diesOn: { method: "textDocument/didChange" } },
    server: { maxRestarts: 1 },
    machine: { wait },
  });
  for (const name of ["a.fake", "b.fake", "c.fake", "d.fake"]) v.edit(name, "", "BAD\n");
  await until(() => v.servers.status()[0]?.state === "failed", "it was given up");
  expect(v.pids()).toHaveLength(2);
});

test("a server that cannot start says why: not there, ended at once, no handshake, not a language server", async () => {
  await using missing = languageWorld({ server: { command: "no-such-language-server" } });
  missing.write("a.fake", "");
  expect(await missing.fails("hover", "a.fake")).toBe(
    `start: Program not found: "no-such-language-server". Install it, or correct the server's command`,
  );
  await using ended = languageWorld({ fake: { exitsAtOnce: true } });
  ended.write("a.fake", "");
  expect(await ended.fails("hover", "a.fake")).toBe("start: The program exited with code 3 (stderr: cannot go on)");
  await using silent = languageWorld({
    fake: { ignores: ["initialize"], complainsAtEnd: true },
    server: { startupTimeoutMs: 100 },
  });
  silent.write("a.fake", "");
  expect(await silent.fails("hover", "a.fake")).toBe("start: It did not answer initialize within 0.1 s");
  await until(() => silent.pids().every((pid) => !isAlive(pid)), "it was ended");
  await using garbage = languageWorld({ fake: { prints: "No such option\n", complainsAtEnd: true } });
  garbage.write("a.fake", "");
  expect(await garbage.fails("hover", "a.fake")).toBe(
    'start: It printed "No such option\\n", which is not a message of a language server; its command may need an option such as --stdio',
  );
  await until(() => garbage.pids().every((pid) => !isAlive(pid)), "it was ended, too");
});

test("a server that does not answer is given up on, and answers the next question", async () => {
  await using w = languageWorld({ fake: { ignores: ["textDocument/hover"] }, server: { requestTimeoutMs: 50 } });
  w.write("a.fake", "def one\n");
  expect(await w.fails("hover", "a.fake", 1, 5)).toBe("timeout: It did not answer textDocument/hover within 0.1 s");
  await until(() => w.messages("$/cancelRequest").length === 1, "it was told");
  expect(w.messages("textDocument/hover")).toHaveLength(1);
  expect(w.pids()).toHaveLength(1);
});

test("a server that never stops talking is heard out, and other work continues", async () => {
  await using w = languageWorld({ fake: { floods: 50_000 } });
  w.write("a.fake", "def one\n");
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await w.ask("hover", "a.fake", 1, 5);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

test("a server over its memory limit is started again, and the question is answered", async () => {
  const looks = new Set<() => void>();
  const every = (_: number, look: () => void) => {
    looks.add(look);
    return () => void looks.delete(look);
  };
  await using w = languageWorld({
    fake: { memory: { mb: 300, once: "large" } },
    server: { memoryLimitMb: 200 },
    machine: { every },
  });
  w.write("a.fake", "def one\n");
  await w.ask("hover", "a.fake", 1, 5);
  await until(() => w.notes().some(({ ballast }) => ballast), "it is large");
  for (const look of looks) look();
  await until(() => w.servers.status()[0]!.state !== "running", "it was ended");
  expect(await w.ask("hover", "a.fake", 1, 5)).toMatchObject({ word: "one" });
  expect(w.pids()).toHaveLength(2);
  expect(w.servers.status()[0]!.reason).toMatch(/^It used [3-9]\d\d MB of memory, more than its limit of 200 MB$/);
  for (const look of looks) look();
  expect(w.servers.status()).toMatchObject([{ state: "running", restarts: 1 }]);
});

test("close() ends servers that ignore signals and the end of their input, and those that are starting", async () => {
  const deaf = languageWorld({
    fake: { ignoresSignals: true, ignores: ["shutdown", "exit"] },
    server: { shutdownTimeoutMs: 10 },
  });
  deaf.write("a.fake", "def one\n");
  await deaf.ask("hover", "a.fake", 1, 5);
  const starting = languageWorld({ fake: { ignores: ["initialize"], ignoresSignals: true } });
  starting.write("a.fake", "");
  const asked = starting.fails("hover", "a.fake");
  await until(() => starting.messages("initialize").length === 1, "it is starting");
  await Promise.all([deaf.servers.close(), starting.servers.close()]);
  expect([...deaf.pids(), ...starting.pids()].map(isAlive)).toEqual([false, false]);
  expect(await asked).toStartWith("start: ");
  expect(await starting.fails("hover", "a.fake")).toStartWith("start: The session is closing");
});
