// The world generated commands are judged and run in: a repository full of traps, a home, a folder outside, and a
// program under every name that writes down how it was started. Built on disk by plain means; no trap is sprung here.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MARKERS } from "./trace.ts";

export interface FuzzWorld {
  /** Everything below lies in it; in the sandbox, `root` is a fresh copy at the same path. */
  readonly base: string;
  readonly root: string;
  readonly work: string;
  readonly home: string;
  readonly outside: string;
  /** The only folder on the PATH: one logger for each program. */
  readonly bin: string;
  /** Folders a session may stand in; each has file names that are traps for some pattern. */
  readonly places: readonly string[];
  remove(): void;
}

/** The file that a rule denies, relative to the root. */
export const DENIED = "work/.env";

/** Run for real behind their logger; those the machine lacks only write down that they ran. */
const REAL =
  "arch base64 basename bash cat chmod cksum cmp column comm cp cut date dd df diff dirname du echo egrep env expand expr false fgrep file find fold free git grep groups gzip head hostname id ionice jq ln locale ls lsof md5sum mkdir mktemp mv netstat nice nl nohup nproc od paste pgrep printf ps pwd readlink realpath rev rm rmdir sed seq setsid sh sha1sum sha256sum sha512sum shasum sleep sort ss stat stdbuf strings tac tail tar tee test timeout touch tput tr tree true uname uniq uptime wc which whoami xargs awk rg fd [";
/** Only write down that they ran: nothing harmless starts them. */
const FAKE =
  "evil pwn curl sudo busybox python python3 node npm make ssh docker ip man history watch script vi vim nano editor less more pager perl install patch rsync zip unzip zsh dash ksh unlink shred truncate sponge chown parallel su doas";

/** Each is code, or an option that brings code, and completes a pattern that looks harmless: `s,a*,b,`. */
const CODE_NAMES = [
  "a.txt",
  "1e evil",
  "p;1e evil",
  "s,a,evil,e;s,x,b,",
  "s,b,a,;1e evil;s,x,b,",
  "--expression=1e evil",
  "--expression=s,a,evil,e;s,x,b,",
  "-e1e evil",
  "-i.bak",
  'BEGIN{system("evil")}',
  '--source=BEGIN{system("evil")}',
  "CC=evil",
  "--checkpoint=1",
  "--checkpoint-action=exec=evil",
  "--to-command=evil",
  "--compress-program=evil",
  "--pre=evil",
  "-exec",
  "evil",
  ";",
];

/** File names for folders of their own: what `*` would hand to a program there. */
const TRAPS: readonly (readonly string[])[] = [
  ["1e evil", "a.txt"],
  ["a.txt", "b.txt"],
  ["-o", "a.txt", "x"],
  ["--output=x", "a.txt"],
  ["--compress-program=evil", "-S1k", "a.txt"],
  ["-exec", "evil", ";", "."],
  ["-delete", "a.txt"],
  ["--checkpoint=1", "--checkpoint-action=exec=evil", "a.txt"],
  ["--pre=evil", "a.txt"],
  ["%n", "x"],
  ["x[$(evil)]", "a.txt"],
  ["@list", "a.txt", "list"],
  ["+x", "a.txt"],
  ["s", "w x", "a.txt"],
  ["p;w x", "in"],
  ["env", "a.txt"],
  ["-C", "-m", "a.txt"],
  ["-s", "2001-01-01"],
  ["--set=2001-01-01"],
  ["-f", "ln-file"],
  ["-ln", "a.txt"],
  ["-", "--", "a.txt"],
  ["$(evil)", "`evil`", "a;evil", "a.txt"],
  ["~", "a.txt"],
  ["nested", "a.txt"],
  CODE_NAMES,
];

/** The last of the traps. */
export const codeNamesPlace = ({ work }: Pick<FuzzWorld, "work">): string => join(work, `place${TRAPS.length - 1}`);

export function makeFuzzWorld(): FuzzWorld {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "keelson-fuzz-")));
  const root = join(base, "world");
  const [work, home, outside] = [join(root, "work"), join(root, "home"), join(root, "outside")];
  const bin = join(base, "bin");
  for (const folder of [bin, work, home, outside, join(base, "template"), join(base, "log")])
    mkdirSync(folder, { recursive: true });

  for (const name of REAL.split(" ")) addLogger(join(bin, name), join(base, "log"), realProgram(name));
  for (const name of FAKE.split(" ")) addLogger(join(bin, name), join(base, "log"));

  fillFolder(work, outside, home, bin);
  const places = TRAPS.map((names, at) => {
    const place = join(work, `place${at}`);
    fillFolder(place, outside, home, bin, names);
    return place;
  });
  repository(work, bin);
  write(join(work, ".claude/settings.json"), "{}\n");
  write(join(root, DENIED), `${MARKERS.denied}\n`);
  symlinkSync(".env", join(work, "ln-env"));
  write(join(work, "out/a.txt"), "a\n");
  symlinkSync(outside, join(work, "out/ln-dir"));
  archive(work, bin);

  for (const folder of [home, outside])
    for (const name of ["secret", `${MARKERS.outside}.txt`]) write(join(folder, name), `${MARKERS.outside}\n`);
  write(join(outside, "dir/file"), `${MARKERS.outside}\n`);
  addCanary(join(outside, "ls"), join(base, "log"));
  write(join(home, ".bashrc"), "evil\n");
  write(join(home, ".profile"), "evil\n");
  write(join(home, ".ssh/id_rsa"), `${MARKERS.outside}\n`);
  write(join(home, ".claude/settings.json"), "{}\n");
  write(join(home, ".gitconfig"), "[user]\n\tname = me\n\temail = me@example.com\n");
  return {
    base,
    root,
    work,
    home,
    outside,
    bin,
    // A session may have moved into a repository that is not its own.
    places: [...places, ...["sub", "nested", "nested", "bare", "bare", "linked"].map((name) => join(work, name))],
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** What every folder has that a command may start in. */
function fillFolder(folder: string, outside: string, home: string, bin: string, names?: readonly string[]): void {
  const log = join(dirname(bin), "log");
  mkdirSync(folder, { recursive: true });
  if (names !== undefined) {
    for (const name of names) {
      if (name === "ln-file") symlinkSync(join(outside, "secret"), join(folder, name));
      else if (name === "nested") nestedRepository(join(folder, name));
      else if (name !== ".") write(join(folder, name), "b,a,2\na,b,1\n");
    }
    return;
  }
  for (const name of ["a.txt", "b.txt", "in", "sub/x.txt", "sub/y.txt"]) write(join(folder, name), "b,a,2\na,b,1\n");
  write(join(folder, "c.json"), '{"a":[1,2]}\n');
  write(join(folder, "script.sh"), "evil\n");
  write(join(folder, "list"), "a.txt\n");
  symlinkSync(outside, join(folder, "ln-dir"));
  symlinkSync(join(outside, "secret"), join(folder, "ln-file"));
  symlinkSync(home, join(folder, "ln-home"));
  for (const name of ["ls", "cat", "git", "evil"]) addCanary(join(folder, name), log);
  // `d` is where a PATH may be made to lead; `0` and `1` are what `printf %n` leaves in it.
  for (const path of ["d", "0", "1"])
    for (const name of ["ls", "cat", "git", "echo", "sort", "sed", "grep"]) addCanary(join(folder, path, name), log);
  nestedRepository(join(folder, "nested"));
  // A folder that git takes for a repository by what is in it.
  repositoryFolder(join(folder, "bare"), TRAPPED.replace("[core]\n", "[core]\n\tworktree = .\n"));
  write(join(folder, "linked/.git"), "gitdir: ../bare\n");
}

/** Git of this world: no settings of the machine, and nothing that asks. */
export function gitEnvironment(home: string): Record<string, string> {
  return { HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
}

function repository(work: string, bin: string): void {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...gitEnvironment(dirname(bin)) };
  const author = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
  for (const words of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "a.txt", "b.txt", "c.json", "sub"],
    [...author, "commit", "--quiet", "--message=one"],
  ]) {
    const done = Bun.spawnSync(["git", ...words], { cwd: work, env, stdout: "ignore", stderr: "pipe" });
    if (!done.success) throw new Error(`git ${words.join(" ")} failed: ${done.stderr.toString()}`);
  }
  for (const name of ["hooks", "description"]) rmSync(join(work, ".git", name), { recursive: true, force: true });
}

const TRAPPED = `[core]
\trepositoryformatversion = 0
\tbare = false
\tfsmonitor = evil
\tpager = evil
\tsshCommand = evil
[diff]
\texternal = evil
[alias]
\tlog = !evil
[pager]
\tlog = evil
\tstatus = evil
`;

function nestedRepository(folder: string): void {
  repositoryFolder(join(folder, ".git"), TRAPPED);
  write(join(folder, "a.txt"), "b,a,2\na,b,1\n");
}

function repositoryFolder(folder: string, config: string): void {
  write(join(folder, "HEAD"), "ref: refs/heads/main\n");
  write(join(folder, "config"), config);
  mkdirSync(join(folder, "objects"), { recursive: true });
  mkdirSync(join(folder, "refs/heads"), { recursive: true });
}

function archive(work: string, bin: string): void {
  const inner = join(dirname(bin), "inner");
  write(join(inner, "t.txt"), "t\n");
  const done = Bun.spawnSync(["tar", "cf", join(work, "x.tar"), "-C", inner, "t.txt"]);
  if (!done.success) throw new Error(`tar failed: ${done.stderr.toString()}`);
}

function realProgram(name: string): string | undefined {
  return Bun.which(name, { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" }) ?? undefined;
}

/** Writes its words to a file of its own process, then becomes the real program. */
function addLogger(path: string, log: string, real?: string): void {
  const become = real === undefined ? "exit 0" : `exec ${real} "$@"`;
  write(path, `#!/bin/sh\nprintf '%s\\0' "$#" "$0" "$@" >>"${log}/$$"\n${become}\n`);
  chmodSync(path, 0o755);
}

const addCanary = (path: string, log: string): void => addLogger(path, log);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
