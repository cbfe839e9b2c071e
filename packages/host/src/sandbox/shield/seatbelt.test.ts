import { expect, test } from "bun:test";
import { NOTHING_GUARDED } from "../guarded/guarded.ts";
import { seatbeltArgv, seatbeltProfile } from "./seatbelt.ts";

const covers = {
  hiddenFiles: ["/p/.env"],
  hiddenFolders: ["/p/secrets"],
  writeOnly: [],
  readOnly: ["/p/.claude", '/p/odd"name\\'],
  pinned: ["/p/.claude/worktrees", "/p/.git"],
};

test("a profile allows everything except covered paths, with hidden paths last", () => {
  expect(seatbeltProfile(covers, ["/p/.mcp.json", '/p/a"+'], ["/dev/ttys001"]).split("\n")).toEqual([
    "(version 1)",
    "(allow default)",
    '(deny file-write* file-ioctl (literal "/dev/ttys001"))',
    '(deny file-write* (subpath "/p/.claude"))',
    '(deny file-write* (subpath "/p/odd\\"name\\\\"))',
    '(deny file-write* (regex #"^/[pP]/\\.[mM][cC][pP]\\.[jJ][sS][oO][nN](/|$)"))',
    '(deny file-write* (regex #"^/[pP]/[aA].\\+(/|$)"))',
    '(allow file-write* (subpath "/p/.claude/worktrees"))',
    '(deny file-write-unlink (literal "/p/.git"))',
    '(deny file-read* file-write* (subpath "/p/secrets"))',
    '(deny file-read* file-write* (literal "/p/.env"))',
  ]);
});

test("protects missing paths, git settings and folders, and leaves the command unchanged", () => {
  const guarded = {
    ...NOTHING_GUARDED,
    missingFiles: ["/p/.mcp.json"],
    gitSettings: ["/p/.git/config"],
    closedFolders: ["/p/.husky"],
    keptFolders: ["/p"],
  };
  const hidden = { files: [], folders: [], above: [], complete: true };
  const argv = seatbeltArgv(guarded, hidden, [], ["/bin/zsh", "-c", "echo 'a b'"]);
  expect(argv.slice(0, 2)).toEqual(["/usr/bin/sandbox-exec", "-p"]);
  expect(argv[2]!.split("\n").slice(2)).toEqual([
    '(deny file-write* (subpath "/p/.git/config"))',
    '(deny file-write* (subpath "/p/.husky"))',
    expect.stringContaining('#"^/[pP]/\\.[mM]'),
    '(deny file-write-unlink (literal "/p"))',
    '(allow file-write* (subpath "/p/.husky/_"))',
  ]);
  expect(argv.slice(3)).toEqual(["/bin/zsh", "-c", "echo 'a b'"]);
});
