// Sockets of other programs that go away while a command is being started.

import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shielded, world } from "../shield/shield.test-support.ts";
import { gaveUpForVanished, removePlaceholders } from "./vanished.ts";

const REAL = Bun.which("bwrap");

async function listening() {
  const folder = mkdtempSync(join(tmpdir(), "keelson-gone-"));
  mkdirSync(join(folder, "in"));
  const path = join(folder, "in", "other.sock");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    folder,
    path,
    [Symbol.dispose]() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Once it is told to, it does something before it is bubblewrap. Its first run is a trial. */
const before = (folder: string, act: string) =>
  `[ -e ${folder}/armed ] && { rm ${folder}/armed; ${act}; }; exec ${REAL} "$@"`;

shielded("a command that bubblewrap gave up for a socket that went away is started again, a few times", async () => {
  using one = await listening();
  using two = await listening();
  const others = [one, two];
  const gone = ({ folder }: (typeof others)[number]) =>
    `rm -r ${folder}/in; echo "bwrap: Can't create file at ${folder}/in/other.sock: No such file or directory" >&2; exit 1`;
  const first = before(one.folder, gone(one)).replace(/; exec .*/, "");
  await using w = world({ bwrap: `${first}\n${before(two.folder, gone(two))}` });
  await w.run("cat /dev/null");
  for (const { folder } of others) writeFileSync(join(folder, "armed"), "");
  const result = await w.run("echo x >> ran; echo done");
  expect([result.text, result.code, readFileSync(join(w.project, "ran"), "utf8")]).toEqual(["done\n", 0, "x\n"]);
});

shielded(
  "what bubblewrap puts in the place of such a socket is removed, so that its program can listen again",
  async () => {
    using other = await listening();
    const { folder, path } = other;
    await using w = world({ bwrap: before(folder, `rm -r ${folder}/in`) });
    await w.run("cat /dev/null");
    writeFileSync(join(folder, "armed"), "");
    const result = await w.run("cat /dev/null; echo done");
    expect([result.text, existsSync(path), readdirSync(folder)]).toEqual(["done\n", false, []]);
  },
);

test("only bubblewrap's own words, about a socket that is gone, have a command started again", () => {
  const said = (text: string, code: number | null, path = "/none/at/all.sock") =>
    gaveUpForVanished([path], { text, code });
  expect([
    said("bwrap: Can't find source path /x: No such file or directory\n", 1),
    said("bwrap: Can't find source path /x: No such file or directory\n", 0),
    said("bwrap: Can't find source path /x: No such file or directory\nmore\n", 1),
    said("make: bwrap: no\n", 1),
    said("bwrap: Can't find source path /x: No such file or directory\n", 1, import.meta.path),
  ]).toEqual([true, false, false, false, false]);
});

test("files of others stay where they are", () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-gone-"));
  const make = (name: string, text: string, mode: number) => {
    writeFileSync(join(folder, name), text, { mode });
    return join(folder, name);
  };
  const all = [make("full", "x", 0o444), make("writable", "", 0o644), make("empty", "", 0o444)];
  removePlaceholders(all, Date.now() + 60_000);
  expect(readdirSync(folder).length).toBe(3);
  removePlaceholders(all.slice(0, 2), 0);
  expect(readdirSync(folder).length).toBe(3);
  rmSync(folder, { recursive: true });
});
