// Git configuration as text: what git itself reads, and which settings run programs.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { dangerOf, parseGitConfig, runsPrograms, type GitSettingDanger } from "./git-keys.ts";

const read = (text: string) => parseGitConfig(text).settings.map(({ name, value }) => [name, value]);

const TEXTS: readonly (readonly [
  why: string,
  text: string,
  settings: readonly (readonly [string, string | null])[],
])[] = [
  ["a section and a key", "[core]\n\tbare = false\n", [["core.bare", "false"]]],
  ["upper case", "[CORE]\nFSMonitor = ./x", [["core.fsmonitor", "./x"]]],
  ["key after the header", "[core] fsmonitor=./x", [["core.fsmonitor", "./x"]]],
  ["two headers on a line", "[a][core] fsmonitor=./x", [["core.fsmonitor", "./x"]]],
  ["subsection", '[remote "Origin"]\n url = a', [["remote.Origin.url", "a"]]],
  ["escapes in a subsection", '[url "a\\"b\\\\c\\d"]\n insteadOf = x', [['url.a"b\\cd.insteadof', "x"]]],
  ["old subsection", "[Remote.Origin]\nurl = a", [["remote.origin.url", "a"]]],
  ["no value", "[core]\n fsmonitor\n bare", [["core.fsmonitor", null], ["core.bare", null]]], // prettier-ignore
  ["comments", "# a\n[core] ; b\n; c\nbare = false # d\n", [["core.bare", "false"]]],
  ["quotes", '[alias]\nx = "!a # b" c ; d', [["alias.x", "!a # b c"]]],
  ["escapes", '[alias]\nx = a\\tb\\n\\"c\\\\', [["alias.x", 'a\tb\n"c\\']]],
  ["continued line", "[alias]\nx = a \\\n  b\ny = c", [["alias.x", "a   b"], ["alias.y", "c"]]], // prettier-ignore
  ["Windows line endings", "\ufeff[core]\r\n\tbare = false\r\n\tpager = a \\\r\nb\r\n", [["core.bare", "false"], ["core.pager", "a b"]]], // prettier-ignore
  ["the UTF-8 byte order mark as bytes", "\u00ef\u00bb\u00bf[core]\n\tpager = a\n", [["core.pager", "a"]]],
  ["spaces around", "[core]\n  pager  =   a  b   \n", [["core.pager", "a  b"]]],
  ["nothing", "", []],
];

test.each(TEXTS)("reads %s", (_, text, settings) => {
  expect(parseGitConfig(text).broken).toBe(false);
  expect(read(text)).toEqual(settings as [string, string | null][]);
});

test.each([
  ["[core\nbare = x"],
  ["bare = x"],
  ["[core]\n= x"],
  ['[core]\na = "x'],
  ["[core]\na = \\x"],
  ["[core]\na b"],
  ['[core "x]\na = b'],
])("reports %j as broken, as git does", (text) => {
  expect(parseGitConfig(text).broken).toBe(true);
});

test("settings before a broken line are still known", () => {
  expect(read("[core]\nfsmonitor = ./x\n[core\n")).toEqual([["core.fsmonitor", "./x"]]);
});

test("a setting can be cut out of the text", () => {
  const text = "[core]\n\tbare = false\n\tpager = a \\\n b\n\tfilemode = true\n";
  const pager = parseGitConfig(text).settings[1]!;
  expect(text.slice(pager.from, pager.to)).toBe("pager = a \\\n b");
});

test("reading takes time proportional to the length", () => {
  for (const make of [
    (n: number) => `[a]${" ".repeat(n)}`,
    (n: number) => `[a "${"\\\\".repeat(n)}`,
    (n: number) => `[a]b=${" c".repeat(n)}`,
    (n: number) => "[".repeat(n),
    (n: number) => `[a]${"b ".repeat(n)}`,
    (n: number) => "#\n".repeat(n),
  ]) {
    expect(growth((n) => parseGitConfig(make(n)), { from: 10_000, to: 100_000 })).toBeLessThan(50);
  }
});

const DANGERS: Readonly<Record<GitSettingDanger | "harmless", readonly string[]>> = {
  looking: [
    "core.fsmonitor=./x", "core.fsmonitor=true x", "core.virtualfilesystem=x", "diff.external=x", "diff.a.command=x",
    "diff.a.textconv=x", "filter.a.clean=x", "filter.lfs.process=git-lfs filter-process; x", "gpg.program=x",
    "gpg.ssh.program=x", "gpg.ssh.defaultkeycommand=x", "include.path=x", "includeif.gitdir:/.path=x",
    "hook.a.command=x", "lfs.extension.a.clean=x", "core.somethingnew=x",
  ],
  fetching: [
    "core.sshcommand=x", "core.gitproxy=x", "core.askpass=x", "core.alternaterefscommand=x", "credential.helper=x",
    "credential.https://a.b.helper=!x", "protocol.ext.allow=always", "remote.a.uploadpack=x", "remote.a.receivepack=x",
    "remote.a.vcs=x", "remote.a.url=ext::sh -c x", "remote.a.pushurl=foo://x", "submodule.a.url=ext::x",
    "branch.a.remote=ext::x", "url.ext::x.insteadof=https://", "remote.a.unknown=x",
  ],
  acting: [
    "alias.x=!y", "core.editor=x", "core.hookspath=x", "core.pager=less", "sequence.editor=x", "pager.log=x",
    "merge.a.driver=x", "mergetool.a.cmd=x", "difftool.a.path=x", "interactive.difffilter=x", "tar.a.command=x",
    "trailer.a.command=x", "trailer.a.cmd=x", "submodule.a.update=!x", "sendemail.smtpserver=x", "man.a.cmd=x",
    "browser.a.cmd=x", "guitool.a.cmd=x", "init.templatedir=x", "uploadpack.packobjectshook=x", "gc.recentobjectshook=x",
    "branch.a.mergeoptions=-s x", "pull.twohead=x", "web.browser=x", "gitflow.path.hooks=x", "imap.tunnel=x",
  ],
  redirecting: [
    "url.a.insteadof=b", "url.a.pushinsteadof=b", "http.proxy=x", "http.sslverify=false", "http.https://a/.extraheader=x",
    "remote.a.proxy=x", "core.worktree=/", "core.protectntfs=false", "trace2.eventtarget=/x", "fetch.bundleuri=x",
    "format.outputdirectory=/x", "lfs.url=x",
  ],
  harmless: [
    "core.repositoryformatversion=0", "core.filemode=true", "core.bare=false", "core.logallrefupdates=true",
    "core.ignorecase=true", "core.precomposeunicode=true", "core.fsmonitor=true", "core.fsmonitor=false",
    "core.untrackedcache=true", "core.pager=cat", "remote.origin.url=https://github.com/a/b.git",
    "remote.origin.url=git@github.com:a/b.git", "remote.origin.url=../b", "remote.origin.fetch=+refs/*:refs/*",
    "remote.origin.gh-resolved=base", "remote.origin.promisor=true", "branch.main.remote=origin", "branch.main.merge=a",
    "branch.main.vscode-merge-base=a", "user.name=a", "user.email=a@b", "commit.gpgsign=true", "pull.rebase=true",
    "push.autosetupremote=true", "submodule.a.url=https://a/b", "submodule.a.active=true", "submodule.a.update=rebase",
    "filter.lfs.clean=git-lfs clean -- %f", "filter.lfs.process=git-lfs filter-process", "filter.lfs.required=true",
    "lfs.repositoryformatversion=0", "lfs.https://a/b.locksverify=true", "extensions.worktreeconfig=true",
    "credential.helper=", "pager.log=false", "protocol.version=2", "init.defaultbranch=main", "gui.wmstate=x",
    "diff.algorithm=histogram", "diff.a.xfuncname=x", "rerere.enabled=1", "color.ui=auto", "advice.detachedhead=false",
  ],
}; // prettier-ignore

const rows = Object.entries(DANGERS).flatMap(([danger, names]) => names.map((name) => ({ danger, name })));

test.each(rows)("$danger: $name", ({ danger, name }) => {
  const [, path, value] = /^(.*?)=(.*)$/.exec(name)!;
  const parts = path!.split(".");
  const [section, key] = [parts[0]!, parts.at(-1)!];
  const subsection = parts.length > 2 ? parts.slice(1, -1).join(".") : undefined;
  const setting = {
    section,
    key,
    value: value!,
    name: path!,
    from: 0,
    to: 0,
    ...(subsection !== undefined && { subsection }),
  };
  expect(dangerOf(setting) ?? "harmless").toBe(danger as GitSettingDanger);
  expect(runsPrograms(setting)).toBe(!["harmless", "redirecting"].includes(danger));
});

test("a key without a value is read as true", () => {
  const [setting] = parseGitConfig("[core]\nfsmonitor").settings;
  expect(dangerOf(setting!)).toBeUndefined();
});
