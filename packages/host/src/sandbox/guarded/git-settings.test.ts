import { expect, test } from "bun:test";
import { parseGitConfig } from "@keelson/engine/git-keys";
import { safeSettings } from "./git-settings.ts";

const PLAIN = `[core]
\trepositoryformatversion = 0
\tbare = false
# a comment
[remote "origin"]
\turl = /srv/a.git
`;
const OWN = `${PLAIN}[alias]\n\tst = status\n[core]\n\tpager = less -R\n`;

test("safeSettings() keeps remotes, branches and names", () => {
  const after = `${PLAIN}[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\temail = me@example.org\n`;
  expect(safeSettings(PLAIN, after)).toBeNull();
  expect(safeSettings(OWN, OWN.replace("/srv/a.git", "/srv/b.git"))).toBeNull();
  expect(safeSettings(PLAIN, "")).toBeNull();
});

test("safeSettings() removes settings that run programs and keeps the rest, including comments", () => {
  const user = "[user]\n\temail = me@example.org\n";
  const after = PLAIN.replace("\tbare = false\n", '\tbare = false\n\tfsmonitor = "x \\\n y"\n') + user;
  expect(safeSettings(PLAIN, after)).toEqual({
    text: PLAIN + user,
    undone: ["core.fsmonitor"],
    isWhole: false,
  });
});

const CHANGES: readonly (readonly [text: string, undone: string])[] = [
  ["[core] hooksPath = .husky/_\n", "core.hookspath"],
  ["[CORE]\nsshCommand=x", "core.sshcommand"],
  ["[alias]\n\tx = !id", "alias.x"],
  ["[alias]\r\n\tx = !id\r\n", "alias.x"],
  ['[url "ssh://evil"]\n\tinsteadOf = https://', "url.ssh://evil.insteadof"],
  ['[filter "a"]\nclean = id', "filter.a.clean"],
  ['[diff "a"]\ntextconv = id', "diff.a.textconv"],
  ["[diff]\nexternal = id", "diff.external"],
  ['[merge "a"]\ndriver = id', "merge.a.driver"],
  ["[include]\npath = ../x", "include.path"],
  ['[includeIf "gitdir:/"]\npath = ../x', "includeif.gitdir:/.path"],
  ["[credential]\nhelper = !id", "credential.helper"],
  ["[gpg]\nprogram = id", "gpg.program"],
  ['[remote "origin"]\nuploadpack = id', "remote.origin.uploadpack"],
  ['[remote "evil"]\nurl = ext::id', "remote.evil.url"],
  ['[submodule "a"]\nupdate = !id', "submodule.a.update"],
  ["[protocol]\nallow = always", "protocol.allow"],
  ['[protocol "ext"]\nallow = always', "protocol.ext.allow"],
  ["[http]\nproxy = http://evil", "http.proxy"],
  ['[http "https://a"]\nsslVerify = false', "http.https://a.sslverify"],
  ["[core]\nworktree = /", "core.worktree"],
  ["[sequence]\neditor = id", "sequence.editor"],
  ["[pager]\nlog = id", "pager.log"],
  ["[unheardof]\ncommand = id", "unheardof.command"],
];

test.each(CHANGES)("safeSettings() reverts %j", (text, undone) => {
  const result = safeSettings(OWN, `${OWN}${text}`)!;
  expect(result.undone).toEqual([undone]);
  const names = (config: string) => parseGitConfig(config).settings.map(({ name, value }) => [name, value]);
  expect(names(result.text)).toEqual(names(OWN));
});

test("safeSettings() restores removed or changed settings, and the whole file if git cannot read it", () => {
  const settings = (text: string) => new Map(parseGitConfig(text).settings.map(({ name, value }) => [name, value]));
  const gone = safeSettings(OWN, PLAIN)!;
  expect(gone.undone).toEqual(["alias.st", "core.pager"]);
  expect(settings(gone.text)).toEqual(settings(OWN));
  const changed = safeSettings(OWN, OWN.replace("less -R", 'sh -c "a;b"'))!;
  expect(changed.undone).toEqual(["core.pager"]);
  expect(settings(changed.text)).toEqual(settings(OWN));
  expect(safeSettings(OWN, `${OWN}[core\nfsmonitor = x`)).toMatchObject({ text: OWN, isWhole: true });
  expect(safeSettings("[broken", "[broken")).toBeNull();
});

test("safeSettings() keeps the worktree of a submodule", () => {
  const after = `${PLAIN}[core]\n\tworktree = ../../../lib\n`;
  expect(safeSettings(PLAIN, after, { isHarmless: ({ name }) => name === "core.worktree" })).toBeNull();
});

test("safeSettings() keeps conflict markers where a merge may leave them, and checks what is before them", () => {
  const conflict = "<<<<<<< ours\n[a]\n=======\n>>>>>>> theirs\n";
  const file = { mayBeBroken: true };
  expect(safeSettings(PLAIN, `${PLAIN}${conflict}`, file)).toBeNull();
  expect(safeSettings(PLAIN, `${PLAIN}[core]\n\tfsmonitor = x\n${conflict}`, file)?.undone).toEqual(["core.fsmonitor"]);
});
