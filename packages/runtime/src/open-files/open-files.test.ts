import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFiles } from "@keelson/host";
import { Clients } from "../stream/clients.ts";
import { ClientRequests } from "../controls/client-requests.ts";
import { OpenFiles } from "./open-files.ts";

type Question = { readonly subtype: string; readonly path: string; readonly content?: string };

/** A file, and clients that answer about it, or do not. */
function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-open-files-")));
  const path = join(root, "a.txt");
  writeFileSync(path, "saved\n");
  const clients = new Clients({ newId: () => crypto.randomUUID() });
  const requests = new ClientRequests({ clients, newId: () => crypto.randomUUID() });
  clients.left = (client) => requests.left(client);
  const aborted = new AbortController();
  const client = (answer: (question: Question) => unknown, role: "driver" | "watcher" = "driver") => {
    const own = clients.attach({ role, openFiles: { read: true, write: true } });
    const read = async () => {
      for await (const message of own) {
        if (message.type !== "control_request") continue;
        const response = answer(message.request as unknown as Question);
        const { request_id } = message;
        if (response !== undefined)
          requests.answered({ type: "control_response", response: { subtype: "success", request_id, response } }, own);
      }
    };
    void read();
    return own;
  };
  const call = {
    signal: aborted.signal,
    seen: { get: () => undefined, wasOwnCommand: () => false },
    judged: (asked: string) => (asked === path ? path : undefined),
    mayRead: () => true,
  };
  const openFiles = new OpenFiles({ clients, requests: () => requests, waits: { readMs: 50, writeMs: 50 } });
  return {
    path,
    clients,
    client,
    aborted,
    files: (more: Partial<typeof call> = {}) => openFiles.wrap(createFiles(), { ...call, ...more }),
    text: async (files = openFiles.wrap(createFiles(), call)) => Buffer.from(await files.read(path)).toString(),
    onDisk: () => readFileSync(path, "utf8"),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

test("what a client offered goes with it, and a watcher offers nothing", async () => {
  using w = world();
  const editor = w.client(() => ({ content: "typed\n" }));
  w.client(() => ({ content: "watched\n" }), "watcher");
  expect(await w.text()).toBe("typed\n");
  w.clients.detach(editor);
  expect(await w.text()).toBe("saved\n");
});

test("of several clients, the one with unsaved text is seen and written to", async () => {
  using w = world();
  const written: string[] = [];
  w.client(() => ({ content: "saved\n" }));
  w.client(({ subtype, content }) => {
    if (subtype === "write_open_file") written.push(content!);
    return { content: written.at(-1) ?? "typed\n" };
  });
  const files = w.files();
  expect(await w.text(files)).toBe("typed\n");
  expect(files.unsaved(w.path)).toEqual(Buffer.from("typed\n"));
  await files.write(w.path, Buffer.from("edited\n"));
  expect([written, w.onDisk()]).toEqual([["edited\n"], "saved\n"]);
});

test("a file looks changed whenever its unsaved text does", async () => {
  using w = world();
  let content = "typed\n";
  w.client(() => ({ content }));
  const files = w.files();
  const first = await files.stat(w.path);
  expect(await files.stat(w.path)).toEqual(first);
  content = "typos\n";
  expect(await files.stat(w.path)).not.toEqual(first);
  content = "saved\n";
  expect((await files.stat(w.path))!.mtimeMs).toBeGreaterThan(0);
});

test("a client that does not answer is waited for once, and nothing is written meanwhile", async () => {
  using w = world();
  let asked = 0;
  w.client(() => void asked++);
  const files = w.files();
  for (let times = 0; times < 3; times++) expect((await files.stat(w.path))?.size).toBe(6);
  expect(await w.text(files)).toBe("saved\n");
  await expect(files.write(w.path, Buffer.from("edited\n"))).rejects.toThrow("did not answer within 0.05 s");
  expect([asked, w.onDisk()]).toEqual([1, "saved\n"]);
});

test("a text that is too long is none, and the file is not written meanwhile", async () => {
  using w = world();
  w.client(() => ({ content: "x".repeat(11 * 1024 * 1024) }));
  const files = w.files();
  expect(await w.text(files)).toBe("saved\n");
  await expect(files.write(w.path, Buffer.from("edited\n"))).rejects.toThrow("longer than 10 MB");
});

test("an interrupt ends the wait", async () => {
  using w = world();
  w.client(() => void w.aborted.abort());
  await expect(w.files().read(w.path)).rejects.toThrow("interrupted");
});

test("a client that claims a change and has closed the file must have saved it", async () => {
  using w = world();
  let saves = false;
  let open = true;
  w.client(({ subtype, path, content }) => {
    if (subtype !== "write_open_file") return { content: open ? "typed\n" : null };
    open = false;
    if (saves) writeFileSync(path, content!);
    return {};
  });
  const change = async () => {
    const files = w.files();
    await files.stat(w.path);
    await files.write(w.path, Buffer.from("edited\n"));
  };
  await expect(change()).rejects.toThrow("did not make it");
  await change().catch(() => undefined);
  [saves, open] = [true, true];
  writeFileSync(w.path, "saved\n");
  await change();
  expect(w.onDisk()).toBe("edited\n");
});

test("before a call is judged, only what was read before is looked at, and only if it still may be", async () => {
  using w = world();
  const sighting = { mtimeMs: 0, size: 0, hash: "", by: "read" as const };
  w.client(() => ({ content: "typed\n" }));
  const judged = () => undefined;
  const seen = { get: () => sighting, wasOwnCommand: () => false } as never;
  expect(await w.text(w.files({ judged }))).toBe("saved\n");
  expect(await w.text(w.files({ judged, seen }))).toBe("typed\n");
  expect(await w.text(w.files({ judged, seen, mayRead: () => false }))).toBe("saved\n");
  expect(await w.text(w.files({ judged: () => "/elsewhere" as never }))).toBe("saved\n");
});

test("an editor that has not read the file again has nothing unsaved", async () => {
  using w = world();
  let content = "saved\n";
  w.client(() => ({ content }));
  const files = w.files();
  expect(await w.text(files)).toBe("saved\n");
  await files.write(w.path, Buffer.from("edited\n"));
  expect(await w.text()).toBe("edited\n");
  await w.files().write(w.path, Buffer.from("edited again\n"));
  content = "edited\n";
  expect(await w.text()).toBe("edited again\n");
  content = "edited\ntyped\n";
  expect(await w.text()).toBe("edited\ntyped\n");
});

test("what a command of the session has just written is read from disk, until the editor can have noticed", async () => {
  using w = world();
  w.client(() => ({ content: "not noticed yet\n" }));
  const seen = { get: () => undefined, wasOwnCommand: () => true } as never;
  expect(await w.text(w.files({ seen }))).toBe("saved\n");
  const earlier = Date.now() / 1000 - 60;
  utimesSync(w.path, earlier, earlier);
  expect(await w.text(w.files({ seen }))).toBe("not noticed yet\n");
});
