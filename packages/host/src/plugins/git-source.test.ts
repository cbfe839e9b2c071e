import { afterAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../alive.test-support.ts";
import { fetchGit, type GitSource } from "./git-source.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-git-source-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const env = { ...process.env, HOME: place, GIT_CONFIG_NOSYSTEM: "1" };
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...words], {
    cwd,
    env,
    encoding: "utf8",
  }).trim();

const repository = join(place, "repository");
mkdirSync(join(repository, "plugins/a"), { recursive: true });
git(repository, "init", "-q", "-b", "main");
writeFileSync(join(repository, "plugins/a/x.md"), "one");
symlinkSync("/etc/passwd", join(repository, "plugins/a/out"));
git(repository, "add", "-A");
git(repository, "commit", "-qm", "one");
git(repository, "tag", "v1");
const first = git(repository, "rev-parse", "HEAD");
writeFileSync(join(repository, "plugins/a/x.md"), "two");
git(repository, "commit", "-qam", "two");
const second = git(repository, "rev-parse", "HEAD");

const get = async (source: Partial<GitSource>, more: Record<string, string> = {}) => {
  const { files, commit } = await fetchGit(
    { url: `file://${repository}`, ...source },
    { env: { ...env, ...more }, local: true },
  );
  return { commit, files: files.map(({ path, bytes }) => `${path}: ${Buffer.from(bytes()).toString()}`) };
};

test("the newest commit, a tag, a commit, a folder", async () => {
  expect(await get({})).toEqual({ commit: second, files: ["plugins/a/x.md: two"] });
  expect(await get({ ref: "v1" })).toEqual({ commit: first, files: ["plugins/a/x.md: one"] });
  expect(await get({ sha: first, path: "plugins/a" })).toEqual({ commit: first, files: ["x.md: one"] });
});

test.each<[string, Partial<GitSource>, string]>([
  ["a commit that is not there", { sha: "0".repeat(40) }, "git rev-parse failed"],
  ["a repository that is not there", { url: "file:///no/such/repository" }, "does not appear to be a git repository"],
  ["half a commit id", { sha: first.slice(0, 8) }, "is not a full commit id"],
  ["a ref that is an option", { ref: "--upload-pack=touch x" }, "is not a branch or tag"],
  ["a folder outside", { path: "../.." }, 'has ".." in its name'],
  ["a folder that is not there", { path: "nothing" }, 'has no files in "nothing"'],
  ["an address that runs a program", { url: "ext::sh -c touch% x" }, "is not an address for git"],
  ["an option as address", { url: "--upload-pack=touch x" }, "is not an address for git"],
  ["an address with two servers", { url: "https://a.example\\@b.example/x.git" }, "write it as https://host/path"],
  ["an address with two servers for ssh", { url: "ssh://a.example?@b.example/x.git" }, "write it as https://host/path"],
  ["an address without encryption", { url: "http://example.com/x.git" }, "is not an address for git"],
])("%s is refused", async (_, source, why) => {
  await expect(get(source)).rejects.toThrow(why);
});

test("a repository on this machine only for marketplaces on this machine", async () => {
  await expect(fetchGit({ url: `file://${repository}` }, { env, local: false })).rejects.toThrow("is on this machine");
});

test("nothing of the repository or the environment runs", async () => {
  const ran = join(place, "ran");
  const script = join(place, "evil.sh");
  writeFileSync(script, `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(script, 0o755);
  const hostile = join(place, "hostile");
  mkdirSync(join(hostile, "hooks"), { recursive: true });
  git(hostile, "init", "-q", "-b", "main");
  writeFileSync(join(hostile, ".gitattributes"), "* filter=evil diff=evil\n");
  writeFileSync(join(hostile, ".gitmodules"), `[submodule "s"]\n\tpath = s\n\turl = ext::${script}\n`);
  git(hostile, "add", "-A");
  git(hostile, "commit", "-qm", "x");
  for (const name of ["post-checkout", "reference-transaction", "post-upload-pack"]) {
    symlinkSync(script, join(hostile, ".git/hooks", name));
  }
  for (const [key, value] of [
    ["core.fsmonitor", script],
    ["filter.evil.smudge", script],
    ["core.hooksPath", join(hostile, ".git/hooks")],
    ["uploadpack.packObjectsHook", script],
  ] as const) {
    git(hostile, "config", key, value);
  }
  const { files } = await fetchGit(
    { url: hostile },
    { env: { ...env, GIT_DIR: join(hostile, ".git"), GIT_EXTERNAL_DIFF: script, GIT_PAGER: script }, local: true },
  );
  expect(files.map(({ path }) => path)).toEqual([".gitattributes", ".gitmodules"]);
  expect(existsSync(ran)).toBe(false);
});

test("a fetch that does not end is stopped", async () => {
  const slow = join(place, "slow.sh");
  const file = join(place, "slow.pid");
  writeFileSync(slow, `#!/bin/sh\necho $$ > ${file}\nexec sleep 600\n`, { mode: 0o755 });
  const options = { env: { ...env, GIT_SSH_COMMAND: slow, CLAUDE_CODE_PLUGIN_GIT_TIMEOUT_MS: "1500" }, local: false };
  await expect(fetchGit({ url: "ssh://127.0.0.1/x" }, options)).rejects.toThrow("git did not finish within 1.5 s");
  expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
});
