// Secrets on disk, with and without a keyring. The keyrings are small programs that behave like the real ones.

import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSecretStore } from "./secret-store.ts";
import { openSignInMemory } from "./sign-in-needed.ts";

let root: string;
let configDir: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "keelson-secrets-"));
  configDir = join(root, "config");
  folder = join(configDir, "mcp-credentials");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const plainStore = () => openSecretStore({ configDir, platform: "linux", env: {} });
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

function program(name: string, body: string): void {
  mkdirSync(join(root, "bin"), { recursive: true });
  writeFileSync(join(root, "bin", name), `#!/bin/sh\n${body}`, { mode: 0o755 });
}

/** Keeps one value in a file, and notes every argument. */
const SECRET_TOOL = `
echo "$@" >> "$HOME/calls"
case "$1" in
  lookup) test -f "$HOME/key" && cat "$HOME/key" ;;
  store) cat > "$HOME/key" ;;
esac`;
const SECURITY = `
echo "$@" >> "$HOME/calls"
case "$1" in
  find-generic-password) test -f "$HOME/key" && cat "$HOME/key" && echo ;;
  -i) read -r line; printf %s "$line" | sed 's/.* -w "\\(.*\\)"/\\1/' > "$HOME/key" ;;
esac`;

const withKeyring = (platform: "linux" | "darwin", limitMs = 20_000) =>
  openSecretStore({
    configDir,
    platform,
    limitMs,
    env: { PATH: "/usr/bin:/bin", HOME: root, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" },
    find: (name) => (existsSync(join(root, "bin", name)) ? join(root, "bin", name) : null),
  });

test("without a keyring, secrets are files that only their owner can read", async () => {
  const store = plainStore();
  expect(await store.read("a-1")).toBeUndefined();
  await store.write("a-1", "secret");
  expect(await plainStore().read("a-1")).toBe("secret");
  expect([mode(folder), mode(join(folder, "a-1.json")), readdirSync(folder)]).toEqual(["700", "600", ["a-1.json"]]);
  await store.remove("a-1");
  await store.remove("a-1");
  expect(await store.read("a-1")).toBeUndefined();
});

test("modes that others widened are narrowed", async () => {
  await plainStore().write("a", "secret");
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "a.json"), 0o644);
  expect(await plainStore().read("a")).toBe("secret");
  await plainStore().write("b", "secret");
  expect([mode(folder), mode(join(folder, "a.json"))]).toEqual(["700", "600"]);
});

test("links are not followed", async () => {
  const store = plainStore();
  await store.write("a", "secret");
  const target = join(root, "target");
  writeFileSync(target, '{"plain":"planted"}');
  symlinkSync(target, join(folder, "b.json"));
  await expect(store.read("b")).rejects.toThrow("is a link");
  await store.write("b", "mine");
  expect([await store.read("b"), readFileSync(target, "utf8")]).toEqual(["mine", '{"plain":"planted"}']);

  rmSync(folder, { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), folder);
  await expect(store.write("a", "secret")).rejects.toThrow("is a link; secrets are only stored in a real folder");
  expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
});

test("a key cannot leave the folder", async () => {
  await expect(plainStore().write("../x", "secret")).rejects.toThrow("Not a valid key");
});

test.each(["linux", "darwin"] as const)("on %s, files are encrypted with a key from the keyring", async (platform) => {
  program("secret-tool", SECRET_TOOL);
  program("security", SECURITY);
  await withKeyring(platform).write("a", "access-123");
  const file = readFileSync(join(folder, "a.json"), "utf8");
  expect(Object.keys(JSON.parse(file))).toEqual(["sealed"]);
  expect(await withKeyring(platform).read("a")).toBe("access-123");
  // One key for all, and never in an argument.
  const key = readFileSync(join(root, "key"), "utf8").trim();
  await withKeyring(platform).write("b", "access-456");
  expect(readFileSync(join(root, "key"), "utf8").trim()).toBe(key);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(readFileSync(join(root, "calls"), "utf8")).not.toContain(key);
  // Files cannot be swapped, and mean nothing without the key.
  writeFileSync(join(folder, "b.json"), file);
  expect(await withKeyring(platform).read("b")).toBeUndefined();
  writeFileSync(join(root, "key"), "0".repeat(64));
  expect(await withKeyring(platform).read("a")).toBeUndefined();
  rmSync(join(root, "key"));
  expect(await withKeyring(platform).read("a")).toBeUndefined();
});

test("a keyring that does not work leaves plain files", async () => {
  program("secret-tool", "exit 1");
  await withKeyring("linux").write("a", "secret");
  expect([await withKeyring("linux").read("a"), await plainStore().read("a")]).toEqual(["secret", "secret"]);
});

test("a keyring that hangs is asked once", async () => {
  program("secret-tool", 'echo call >> "$HOME/calls"\nexec sleep 60');
  await withKeyring("linux", 300).write("a", "secret");
  expect(await plainStore().read("a")).toBe("secret");
  expect(readFileSync(join(root, "calls"), "utf8")).toBe("call\n");
});

test("work under a lock does not overlap, also between processes", async () => {
  const other = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const { openSecretStore } = await import(${JSON.stringify(join(import.meta.dir, "secret-store.ts"))});
       const store = openSecretStore({ configDir: ${JSON.stringify(configDir)}, platform: "linux", env: {} });
       await store.exclusive("a", async () => {
         console.log("in");
         await Bun.sleep(200);
         await store.write("a", "other");
       });`,
    ],
    { stdout: "pipe" },
  );
  await other.stdout.getReader().read();
  const seen = await plainStore().exclusive("a", () => plainStore().read("a"));
  expect(seen).toBe("other");
  await other.exited;
  await expect(plainStore().exclusive("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(readdirSync(folder)).toEqual(["a.json"]);
});

test("the lock of a process that is gone is taken over", async () => {
  await plainStore().write("a", "secret");
  const gone = Bun.spawnSync([process.execPath, "-e", "console.log(process.pid)"]).stdout.toString().trim();
  writeFileSync(join(folder, "a.lock"), gone);
  expect(await plainStore().exclusive("a", async () => "done")).toBe("done");
});

test("that a server wanted a sign-in is remembered for 15 minutes", async () => {
  const memory = openSignInMemory(configDir);
  expect(await memory.has("a")).toBe(false);
  await memory.add("a");
  expect([await memory.has("a"), await memory.has("b")]).toEqual([true, false]);
  const file = join(folder, "a.needed");
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const minutes of [14, -0.001, -14]) {
    utimesSync(file, minutesAgo(minutes), minutesAgo(minutes));
    expect(await memory.has("a")).toBe(true);
  }
  for (const minutes of [16, -16]) {
    utimesSync(file, minutesAgo(minutes), minutesAgo(minutes));
    expect(await memory.has("a")).toBe(false);
  }
  await memory.add("a");
  await memory.remove("a");
  expect(await memory.has("a")).toBe(false);
});
