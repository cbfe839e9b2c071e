// What is protected when it exists is protected when it does not: at home, in the project, in git, behind links and below
// folders that are missing. The real program; commands are harmless and stay in a temporary home.

import { expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type ScriptedCall } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const sandboxed = testUnless(confinementMissing(["bwrap", "socat"]), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });

const AT_HOME = [
  ".npmrc",
  ".yarnrc.yml",
  ".bunfig.toml",
  ".cargo/config.toml",
  ".config/git/attributes",
  ".gitconfig",
  ".zshenv",
  ".ripgreprc",
  ".ssh/rc",
  ".ssh/authorized_keys",
  ".config/systemd/user/backup.service",
  ".config/autostart/backup.desktop",
  ".config/environment.d/10-more.conf",
  ".config/fish/conf.d/more.fish",
  ".config/nvim/init.lua",
  ".local/share/dbus-1/services/more.service",
  ".local/share/applications/editor.desktop",
  ".local/share/bash-completion/completions/git",
  ".xprofile",
  ".pam_environment",
  ".tmux.conf",
  ".emacs.d/init.el",
  ".vim/plugin/more.vim",
];
const IN_PROJECT = [
  ".npmrc",
  ".yarnrc",
  ".pnp.cjs",
  ".bashrc",
  ".zshrc",
  "bunfig.toml",
  "lefthook.yml",
  ".idea/workspace.xml",
  ".devcontainer/devcontainer.json",
  ".cargo/config.toml",
  "gradle/wrapper/gradle-wrapper.properties",
  ".pre-commit-config.yaml",
  ".git/info/attributes",
  ".githooks/pre-commit",
  ".mcp.json",
];
/** Each creates "$f", and its folder. */
const WAYS: Readonly<Record<string, string>> = {
  write: `mkdir -p "\${f%/*}"; echo x > "$f"`,
  "move into place": `mkdir -p "\${f%/*}"; echo x > mine; mv mine "$f"`,
  "link to a file elsewhere": `mkdir -p "\${f%/*}"; echo x > theirs; ln -s "$PWD/theirs" "$f"`,
  "link its folder": `d="\${f%/*}"; b="\${f##*/}"; mkdir -p other; echo x > "other/$b"; [ -e "$d" ] || { mkdir -p "\${d%/*}"; ln -s "$PWD/other" "$d"; }`,
  "in another case": `b="\${f##*/}"; mkdir -p "\${f%/*}"; echo x > "\${f%/*}/\${b^^}"`,
};

function place() {
  const home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  home.write(
    ".git/config",
    `${readFileSync(join(home.project, ".git/config"), "utf8")}[core]\n\thooksPath = .githooks\n`,
  );
  const names = [
    ...AT_HOME.map((name) => join(home.home, name)),
    ...IN_PROJECT.map((name) => join(home.project, name)),
  ];
  return Object.assign(home, { names });
}

const left = (names: readonly string[]) => names.filter((path) => lstatSync(path, { throwIfNoEntry: false }));

shielded.each(Object.entries(WAYS))("no protected name can be created: %s", async (_, way) => {
  using home = place();
  home.write("attack.sh", `for f; do (${way}); done 2>/dev/null; true`);
  const command = `bash attack.sh ${home.names.map((name) => `'${[...name].join("''")}'`).join(" ")}`;
  await using model = await startMockModel([{ calls: [bash(command)] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "result")).toHaveLength(1);
  expect(left(home.names)).toEqual([]);
});

shielded("each is named in the result, with where it is now", async () => {
  using home = place();
  home.write("build.sh", "echo x > ~/.npmrc; mkdir -p .git/info; echo x > .git/info/attributes");
  await using model = await startMockModel([{ calls: [bash("sh build.sh")] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const said = told(model.requests[1]!)[0].content;
  expect(said).toContain(`A command wrote '${join(home.home, ".npmrc")}', which is protected: it was moved to`);
  expect(said).toContain(`A command wrote '${join(home.project, ".git/info/attributes")}', which is protected`);
});

shielded("what a link at a protected name leads to cannot be created either", async () => {
  using home = place();
  mkdirSync(join(home.home, "dotfiles"));
  symlinkSync("dotfiles/npmrc", join(home.home, ".npmrc"));
  symlinkSync("dotfiles/cargo", join(home.home, ".cargo"));
  const command = "cd ~/dotfiles; echo x > npmrc; mkdir cargo; echo x > cargo/config.toml; true";
  await using model = await startMockModel([{ calls: [bash(command)] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect([".npmrc", ".cargo/config.toml"].filter((name) => existsSync(join(home.home, name)))).toEqual([]);
});

sandboxed("in the sandbox too, and tools do not find what is not there", async () => {
  using home = place();
  home.settings({ sandbox: { enabled: true } });
  const wrapper = "gradle/wrapper/gradle-wrapper.properties";
  home.write("build.sh", `ls -A; echo x > .npmrc; mkdir -p gradle/wrapper; echo x > ${wrapper}; true`);
  await using model = await startMockModel([{ calls: [bash("sh build.sh")] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const said = told(model.requests[1]!)[0].content;
  expect(said.split("\n")).not.toContain(".pnp.cjs");
  expect(said).toContain("gradle-wrapper.properties', which is protected: it was moved to");
  expect(left(home.names)).toEqual([]);
});

shielded("everyday commands create what they always did", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  const commands = [
    "npm init -y >/dev/null && test -s package.json",
    "git add -A && git commit -qm one && git checkout -q -b two && git worktree add -q ../linked && git worktree remove ../linked",
    "mkdir -p ~/.cargo/registry ~/.config/app gradle src && touch ~/.cargo/registry/x ~/.config/app/y gradle/z src/a",
    "mv ~/.cargo/registry ~/.cargo/other && ln src/a src/b && mv src lib && mv gradle other",
    "git sparse-checkout list 2>/dev/null; mkdir -p .git/info && echo '*.bin' >> .git/info/exclude && git config user.name me",
    "mkdir -p ~/.local/share/pnpm/store ~/.local/bin ~/.config/app ~/.cache/app && touch ~/.local/share/pnpm/store/x && ln ~/.local/share/pnpm/store/x linked-x && mv ~/.cache/app ~/.local/share/app",
    "mkdir -pm 700 ~/.ssh && echo host >> ~/.ssh/known_hosts && touch ~/.ssh/id_more && mv ~/.ssh/id_more ~/.ssh/id_two && ln ~/.ssh/known_hosts ~/.ssh/known_hosts.old",
    "mkdir sub && cd sub && git init -q . && npm init -y >/dev/null && ls package.json",
  ].filter((command) => !command.includes("npm") || Bun.which("npm"));
  for (const [at, command] of commands.entries()) home.write(`step-${at}.sh`, command);
  const calls = commands.map((_, at) => bash(`sh ./step-${at}.sh`));
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const results = told(model.requests[1]!).map(({ content, is_error }, at) => ({
    command: commands[at],
    content,
    is_error,
  }));
  expect(results.filter(({ content, is_error }) => is_error || content.includes("protected"))).toEqual([]);
});
