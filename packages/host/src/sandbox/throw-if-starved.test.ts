// Without free descriptors, what is to be hidden or protected cannot be found: that must not look as if there were nothing.

import { afterAll, expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeniedFiles } from "./denied/denied.ts";
import { findGuarded } from "./guarded/guarded.ts";
import { loadLibc } from "../programs/libc.ts";
import { shielded } from "./shield/shield.test-support.ts";
import { createForeignSockets } from "./sockets/sockets.ts";

const NOFILE = 7;
const libc = await loadLibc({
  getrlimit: { args: ["i32", "ptr"], returns: "i32" },
  setrlimit: { args: ["i32", "ptr"], returns: "i32" },
});
const root = mkdtempSync(join(tmpdir(), "keelson-starved-"));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string) => join(root, name);
for (const name of ["home/.config/nvim", "project/sub"]) mkdirSync(at(name), { recursive: true });
for (const name of ["home/.curlrc", "project/.env", "dotfiles"]) writeFileSync(at(name), "");
symlinkSync(at("dotfiles"), at("home/.bashrc"));

/** While `act` works, nothing can be opened. */
async function starved<T>(act: () => T | Promise<T>): Promise<T> {
  const own = new BigUint64Array(2);
  libc!.getrlimit(NOFILE, own);
  libc!.setrlimit(NOFILE, new BigUint64Array([3n, own[1]!]));
  try {
    return await act();
  } finally {
    libc!.setrlimit(NOFILE, own);
  }
}

const project = at("project");
const places = { directories: [project], cwd: project, home: at("home"), configDir: at("home/.claude") };
const NOT_RUN =
  /^The command was not run, because it could not be shielded: .*; raise the limit on open files \(ulimit -n\)/;

shielded("what protects files fails, and is right again afterwards", async () => {
  await expect(starved(() => findGuarded(places))).rejects.toThrow(NOT_RUN);
  const { readOnly } = findGuarded(places);
  expect(readOnly).toEqual(expect.arrayContaining([at("home/.curlrc"), at("dotfiles"), at("home/.config/nvim")]));
});

shielded("what hides denied files fails, and remembers nothing of it", async () => {
  const denied = createDeniedFiles({
    rules: () => [{ behavior: "deny", tool: "Read", content: ".env", base: project }],
    mayRead: (path) => !path.endsWith(".env"),
    directories: () => [project],
    home: at("home"),
    warn: () => undefined,
  });
  await expect(starved(() => denied.find(project))).rejects.toThrow(NOT_RUN);
  expect((await denied.find(project)).files).toEqual([at("project/.env")]);
});

shielded("what hides other programs' sockets fails", async () => {
  const sockets = createForeignSockets({ home: at("home"), env: {}, mark: "none", directories: () => [] });
  await expect(starved(() => sockets(false))).rejects.toThrow(NOT_RUN);
});
