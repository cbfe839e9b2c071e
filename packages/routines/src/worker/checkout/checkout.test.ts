import { expect, test } from "bun:test";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOut, GitAccessError, pushWork, type CheckoutTools } from "./checkout.ts";
import { createGit } from "./git.ts";
import { testRepository } from "./repository.test-support.ts";
import { readSource } from "./source.ts";

function tools(root: string, given: Partial<CheckoutTools> = {}): CheckoutTools {
  const scratch = join(root, "scratch");
  mkdirSync(scratch, { recursive: true });
  const none = async () => undefined;
  const git = createGit({ git: Bun.which("git")!, bwrap: Bun.which("bwrap")! });
  return {
    git,
    mirrors: join(root, "mirrors"),
    scratch,
    signal: new AbortController().signal,
    credential: none,
    ...given,
  };
}

const BRANCH = "claude/nightly-1";
const WANTED = { branch: BRANCH, otherwise: `${BRANCH}-a2`, listed: ["reports"], protectedBranches: ["stable"] };

function inside(folder: string, ...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trim();
}

function commitIn(folder: string, path: string, text = "x"): string {
  writeFileSync(join(folder, path), text);
  inside(folder, "add", "-A");
  inside(folder, "commit", "-qm", `Add ${path}`);
  return inside(folder, "rev-parse", "HEAD");
}

test("a checkout is fresh, on a branch of its own, and shares no file with the mirror", async () => {
  using origin = testRepository();
  const first = origin.commit({ "a.txt": "one" });
  const at = tools(origin.root);
  const source = readSource({ url: origin.url });
  const made = await checkOut(source, join(origin.root, "one"), BRANCH, at);
  expect(made).toMatchObject({ commit: first, defaultBranch: "main", isContinued: false });
  expect(inside(made.folder, "symbolic-ref", "HEAD")).toBe(`refs/heads/${BRANCH}`);
  expect(inside(made.folder, "remote", "get-url", "origin")).toBe(origin.url);
  const objects = readdirSync(join(made.folder, ".git/objects"), { recursive: true, encoding: "utf8" });
  const files = objects
    .map((path) => statSync(join(made.folder, ".git/objects", path)))
    .filter((each) => each.isFile());
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter(({ nlink }) => nlink !== 1)).toEqual([]);

  const second = origin.commit({ "a.txt": "two" });
  const again = await checkOut(source, join(origin.root, "two"), "claude/nightly-2", at);
  expect([again.commit, readFileSync(join(again.folder, "a.txt"), "utf8")]).toEqual([second, "two"]);
  expect(readdirSync(at.mirrors).filter((name) => name.endsWith(".git"))).toHaveLength(1);
});

test("a branch, a tag, a commit or a pull request may be named; others are a reason to skip the run", async () => {
  using origin = testRepository();
  const old = origin.commit({ "a.txt": "one" });
  const side = origin.commit({ "b.txt": "side" }, "side");
  origin.git(["push", "-q", origin.bare, `${old}:refs/tags/v1`, `${side}:refs/pull/7/head`]);
  origin.git(["checkout", "-q", "main"]);
  origin.commit({ "a.txt": "two" });
  const at = tools(origin.root);
  const commitAt = async (ref: string) =>
    (await checkOut(readSource({ url: origin.url, ref }), join(origin.root, `out-${Bun.hash(ref)}`), BRANCH, at))
      .commit;
  expect([
    await commitAt("side"),
    await commitAt("v1"),
    await commitAt(old),
    await commitAt("refs/pull/7/head"),
  ]).toEqual([side, old, old, side]);
  const missing = await commitAt("nowhere").catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(GitAccessError);
  expect(String(missing)).toContain('no branch, tag or commit "nowhere"');
  const gone = readSource({ url: `file://${origin.root}/gone.git` });
  const refused = await checkOut(gone, join(origin.root, "gone"), BRANCH, at).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(GitAccessError);
});

const ADVICE = `fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.
`;

test.each([
  ["ssh: Could not resolve hostname git.example: Temporary failure in name resolution", "passes"],
  ["ssh: connect to host git.example port 22: Connection timed out", "passes"],
  ["ssh: connect to host git.example port 22: Connection refused", "passes"],
  ["ssh: connect to host git.example port 22: Network is unreachable", "passes"],
  ["ssh: connect to host git.example port 22: No route to host", "passes"],
  ["kex_exchange_identification: read: Connection reset by peer", "passes"],
  ["kex_exchange_identification: Connection closed by remote host", "passes"],
  ["git@git.example: Permission denied (publickey).", "no access"],
  ["ERROR: Repository not found.", "no access"],
  ["Host key verification failed.", "no access"],
  ["remote: Your access has timed out\nfatal: Authentication failed for 'https://git.example'", "no access"],
])("over ssh, %j is told from a repository without access", async (line, kind) => {
  using origin = testRepository();
  const at = tools(origin.root);
  const git = { ...at.git, run: async () => ({ code: 128, stdout: "", stderr: `${line}\n${ADVICE}` }) };
  const source = readSource({ url: "git@git.example:team/app" });
  const error = await checkOut(source, join(origin.root, "out"), BRANCH, { ...at, git }).catch((thrown) => thrown);
  expect([error.name, error instanceof GitAccessError]).toEqual(
    kind === "passes" ? ["GitError", false] : ["GitAccessError", true],
  );
  if (kind === "passes") expect(error.message).toBe(`${source.url} could not be fetched: ${line}`);
});

test("commits on the branch of the run and on listed ones are pushed; nothing else is, and nothing is forced", async () => {
  using origin = testRepository();
  const main = origin.commit({ "a.txt": "one" });
  const at = tools(origin.root);
  const made = await checkOut(readSource({ url: origin.url }), join(origin.root, "out"), BRANCH, at);
  expect(await pushWork(made, WANTED, at)).toEqual([]);

  const mine = commitIn(made.folder, "mine.txt");
  for (const branch of ["main", "master", "stable", "reports", "other"]) {
    inside(made.folder, "checkout", "-q", "-B", branch, mine);
    commitIn(made.folder, `${branch}.txt`);
  }
  const pushed = await pushWork(made, WANTED, at);
  const tip = (branch: string) => inside(made.folder, "rev-parse", `refs/heads/${branch}`);
  expect(pushed.toSorted((a, b) => a.branch.localeCompare(b.branch))).toEqual([
    { branch: BRANCH, commit: mine },
    { branch: "main", commit: tip("main"), refused: "the branch is protected" },
    { branch: "master", commit: tip("master"), refused: "the branch is protected" },
    { branch: "other", commit: tip("other"), refused: "the routine may not push this branch" },
    { branch: "reports", commit: tip("reports") },
    { branch: "stable", commit: tip("stable"), refused: "the branch is protected" },
  ]);
  expect(origin.branches()).toEqual({ main, [BRANCH]: mine, reports: tip("reports") });
});

test("a second attempt continues the branch that the first one pushed, and never replaces it", async () => {
  using origin = testRepository();
  origin.commit({ "a.txt": "one" });
  const at = tools(origin.root);
  const source = readSource({ url: origin.url });
  const first = await checkOut(source, join(origin.root, "one"), BRANCH, at);
  const late = await checkOut(source, join(origin.root, "late"), BRANCH, at);
  const mine = commitIn(first.folder, "mine.txt");
  await pushWork(first, WANTED, at);

  const second = await checkOut(source, join(origin.root, "two"), BRANCH, at);
  expect([second.commit, second.isContinued]).toEqual([mine, true]);
  const other = commitIn(late.folder, "other.txt");
  expect(await pushWork(late, WANTED, at)).toEqual([{ branch: `${BRANCH}-a2`, commit: other }]);
  expect(origin.branches()).toMatchObject({ [BRANCH]: mine, [`${BRANCH}-a2`]: other });
});

test("what an agent put into its repository runs nothing and reads nothing when the commits are taken over", async () => {
  using origin = testRepository();
  origin.commit({ "a.txt": "one" });
  const at = tools(origin.root);
  const made = await checkOut(readSource({ url: origin.url }), join(origin.root, "out"), BRANCH, at);
  const mark = join(origin.root, "ran");
  const program = join(made.folder, "program");
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  mkdirSync(join(made.folder, ".git/hooks"), { recursive: true });
  for (const hook of ["pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"]) {
    linkSync(program, join(made.folder, ".git/hooks", hook));
  }
  const mine = commitIn(made.folder, "mine.txt");
  const config = join(made.folder, ".git/config");
  const hostile = `[core]\n\tfsmonitor = ${program}\n\tsshCommand = ${program}\n\tpager = ${program}\n\talternateRefsCommand = ${program}
[uploadpack]\n\tpackObjectsHook = ${program}\n[credential]\n\thelper = !${program}\n[diff]\n\texternal = ${program}
[url "file:///nowhere"]\n\tinsteadOf = ${origin.url}\n[remote "origin"]\n\tpushurl = ext::${program}\n`;
  writeFileSync(config, readFileSync(config, "utf8") + hostile);
  // Objects of a repository that it may not read.
  using secret = testRepository();
  secret.commit({ "secret.txt": "s3cret" });
  writeFileSync(join(made.folder, ".git/objects/info/alternates"), `${join(secret.bare, "objects")}\n`);
  inside(
    made.folder,
    "-c",
    "core.fsmonitor=false",
    "update-ref",
    "refs/heads/reports",
    secret.git(["rev-parse", "HEAD"]),
  );

  expect(existsSync(mark)).toBe(true);
  Bun.spawnSync(["rm", mark]);
  const pushed = await pushWork(made, WANTED, at);
  expect(existsSync(mark)).toBe(false);
  expect(pushed.find(({ branch }) => branch === BRANCH)).toEqual({ branch: BRANCH, commit: mine });
  expect(origin.branches()["reports"]).toBeUndefined();
});

test("a repository that another run made on this machine runs nothing outside it when commits are pushed to it", async () => {
  using origin = testRepository();
  origin.commit({ "a.txt": "one" });
  const mark = join(origin.root, "ran");
  const inside = join(origin.bare, "hooked");
  const program = join(origin.bare, "program");
  writeFileSync(program, `#!/bin/sh\necho ran > ${inside}\necho ran > ${mark}\nenv >> ${inside}\n`, { mode: 0o755 });
  mkdirSync(join(origin.bare, "hooks"), { recursive: true });
  for (const hook of ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"])
    linkSync(program, join(origin.bare, "hooks", hook));
  const at = tools(origin.root);
  const made = await checkOut(readSource({ url: origin.url }), join(origin.root, "out"), BRANCH, at);
  const mine = commitIn(made.folder, "mine.txt");
  process.env["KEELSON_TEST_SECRET"] = "secret-of-the-worker";
  try {
    expect(await pushWork(made, WANTED, at)).toEqual([{ branch: BRANCH, commit: mine }]);
  } finally {
    delete process.env["KEELSON_TEST_SECRET"];
  }
  expect(origin.branches()).toMatchObject({ [BRANCH]: mine });
  expect(existsSync(mark)).toBe(false);
  // The hooks did run, where they reach nothing.
  expect(readFileSync(inside, "utf8")).toStartWith("ran\n");
  expect(readFileSync(inside, "utf8")).not.toContain("secret-of-the-worker");
});

test("nothing is fetched or pushed once the run is not held any more", async () => {
  using origin = testRepository();
  const main = origin.commit({ "a.txt": "one" });
  const lost = () => Promise.reject(new Error("lease lost"));
  const source = readSource({ url: origin.url });
  const refused = await checkOut(
    source,
    join(origin.root, "no"),
    BRANCH,
    tools(origin.root, { credential: lost }),
  ).catch(String);
  expect(refused).toContain("lease lost");
  const made = await checkOut(source, join(origin.root, "out"), BRANCH, tools(origin.root));
  commitIn(made.folder, "mine.txt");
  const asked: string[] = [];
  const credential = async (url: string, operation: string) => {
    asked.push(`${operation} ${url}`);
    return lost();
  };
  expect(await pushWork(made, WANTED, tools(origin.root, { credential })).catch(String)).toContain("lease lost");
  expect([asked, origin.branches()]).toEqual([[`write ${origin.url}`], { main }]);
});
