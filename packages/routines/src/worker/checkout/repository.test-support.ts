// A repository to check out, as a server has it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export function testRepository() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-origin-")));
  const [bare, work] = [join(root, "app.git"), join(root, "work")];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    ...{ GIT_AUTHOR_NAME: "Tester", GIT_AUTHOR_EMAIL: "t@example.com" },
    ...{ GIT_COMMITTER_NAME: "Tester", GIT_COMMITTER_EMAIL: "t@example.com" },
  };
  const git = (args: readonly string[], cwd = work) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], { cwd, env });
    if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
    return stdout.toString().trim();
  };
  git(["init", "-q", "--bare", "--initial-branch=main", "--template=", bare], root);
  git(["init", "-q", "--initial-branch=main", "--template=", work], root);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  const commit = (files: Readonly<Record<string, string>>, branch = "main") => {
    git(["checkout", "-q", "-B", branch]);
    for (const [path, text] of Object.entries(files)) write(path, text);
    git(["add", "-A"]);
    git(["commit", "-qm", `Change ${Object.keys(files).join(", ")}`]);
    git(["push", "-q", bare, branch]);
    return git(["rev-parse", "HEAD"]);
  };
  return {
    root,
    bare,
    url: `file://${bare}`,
    commit,
    write,
    git,
    /** Branches of the server and their commits. */
    branches: () =>
      Object.fromEntries(
        git(["for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"], bare)
          .split("\n")
          .filter(Boolean)
          .map((line) => line.split(" ") as [string, string]),
      ),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
