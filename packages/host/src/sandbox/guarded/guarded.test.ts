import { expect, test } from "bun:test";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { recordServed, SERVE_STATE } from "@keelson/disk/served-paths";
import { findGuarded, type Guarded } from "./guarded.ts";

function place() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-guard-")));
  const write = (path: string, text = "") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("home/x");
  write("p/x");
  const names = (paths: readonly string[]) => paths.map((path) => relative(root, path)).toSorted();
  const find = (cwd = "p", governing: readonly string[] = []) => {
    const home = join(root, "home");
    const options = { directories: [join(root, "p")], cwd: join(root, cwd), home, configDir: join(home, ".claude") };
    const inside = (paths: readonly string[]) => names(paths.filter((path) => path.startsWith(root)));
    return Object.fromEntries(
      Object.entries(findGuarded({ ...options, governing: governing.map((path) => join(root, path)) })).map(
        ([kind, paths]) => [kind, inside(paths as readonly string[])],
      ),
    ) as Record<keyof Guarded, string[]>;
  };
  return { root, write, find, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test("in an empty project, files that would configure us or the user's shell cannot be created", () => {
  using p = place();
  const { missingFolders, missingFiles, readOnly, pinned } = p.find();
  const folders = ["home/.claude", "p/.claude"];
  expect({ missingFolders, readOnly, pinned }).toEqual({ missingFolders: folders, readOnly: [], pinned: [] });
  const names = [".mcp.json", ".vscode", ".husky", ".envrc", ".npmrc", ".bashrc"].map((name) => `p/${name}`);
  const atHome = [".bashrc", ".gitconfig", ".config/git", ".claude.json", ".npmrc", ".cargo/config.toml"];
  expect(missingFiles).toEqual(expect.arrayContaining([...names, ...atHome.map((name) => `home/${name}`)]));
});

test("where the environment moves parts of the home, the same names are guarded there, and those of the service manager", () => {
  using p = place();
  p.write("run/systemd/user/own.service");
  p.write("cfg/autostart/x.desktop");
  const at = (name: string) => join(p.root, name);
  const env = {
    XDG_CONFIG_HOME: at("cfg/"),
    XDG_DATA_HOME: at("data"),
    GNUPGHOME: at("keys"),
    XDG_RUNTIME_DIR: at("run"),
  };
  const places = { directories: [at("p")], cwd: at("p"), home: at("home"), configDir: at("home/.claude") };
  const { readOnly, missingFiles } = findGuarded({ ...places, env });
  expect(readOnly).toEqual(expect.arrayContaining([at("run/systemd"), at("cfg/autostart")]));
  const missing = ["cfg/systemd", "cfg/nvim", "data/applications", "keys/gpg-agent.conf", "run/dbus-1"];
  const atHome = [".config/systemd", ".local/share/applications", ".gnupg/gpg-agent.conf"].map(
    (name) => `home/${name}`,
  );
  expect(missingFiles).toEqual(expect.arrayContaining([...missing, ...atHome].map(at)));
});

test("what SQLite would believe beside the database of a server cannot be created, whether it is there or not", async () => {
  using p = place();
  const served = ["srv/own.db", "srv/old.db", "srv/gone.db"].flatMap((file) =>
    ["", "-wal", "-shm", "-journal"].map((end) => join(p.root, file + end)),
  );
  const state = join(p.root, "home/.claude", SERVE_STATE);
  mkdirSync(state, { recursive: true });
  await recordServed(state, { folder: undefined, files: served });
  for (const end of ["", "-wal", "-shm"]) p.write(`srv/own.db${end}`);
  for (const end of ["", "-journal"]) p.write(`srv/old.db${end}`);
  const { readOnly, missingFiles } = p.find();
  const ofServer = (paths: readonly string[]) => paths.filter((path) => path.startsWith("srv/"));
  expect(ofServer(readOnly)).toEqual(
    ["own.db", "own.db-shm", "own.db-wal", "old.db", "old.db-journal"].map((name) => `srv/${name}`).toSorted(),
  );
  // A server may make its log while a command runs.
  expect(ofServer(missingFiles)).toEqual(["srv/own.db-journal"]);
});

test("files that configure us are guarded under other names, through links, and with the folders above them", () => {
  using p = place();
  p.write("etc/mine/settings.json");
  p.write("real/hook.sh");
  p.write("p/tools/check.sh");
  linkSync(join(p.root, "etc/mine/settings.json"), join(p.root, "p/second-name"));
  symlinkSync("../real", join(p.root, "p/scripts"));
  const { readOnly, pinned, keptFolders, links, contents, missingFiles } = p.find("p", [
    "etc/mine/settings.json",
    "p/scripts/hook.sh",
    "etc/later/env.sh",
    "p/tools/check.sh",
  ]);
  expect(readOnly).toEqual(["etc/mine/settings.json", "p/tools/check.sh", "real/hook.sh"]);
  expect(contents).toEqual(["etc/mine/settings.json"]);
  expect(links).toEqual(["p/scripts"]);
  expect(pinned).toEqual(["etc", "etc/mine", "real"]);
  expect(missingFiles).toContain("etc/later/env.sh");
  expect(keptFolders).toEqual(["", "home", "p", "p/tools"]);
});

test("what runs at the next log-in is guarded at home; the folders above it stay ordinary", () => {
  using p = place();
  p.write("home/.ssh/config");
  p.write("home/.config/fish/config.fish");
  p.write("home/.config/app/settings");
  p.write("dotfiles/nvim/init.lua");
  symlinkSync("../../dotfiles/nvim", join(p.root, "home/.config/nvim"));
  const { readOnly, pinned, keptFolders, links, missingFiles } = p.find();
  expect(readOnly).toEqual(["dotfiles/nvim", "home/.config/fish", "home/.ssh/config"]);
  expect({ pinned, links }).toEqual({ pinned: [], links: ["home/.config/nvim"] });
  expect(keptFolders).toEqual(["", "home", "home/.config", "home/.ssh", "p"]);
  const missing = [".ssh/authorized_keys", ".config/systemd", ".local/share/applications", ".xprofile"];
  expect(missingFiles).toEqual(expect.arrayContaining(missing.map((name) => `home/${name}`)));
});

test("someone who works on such a folder, or where it leads, can do so", () => {
  using p = place();
  p.write("home/.config/nvim/lua/init.lua");
  p.write("home/dotfiles/fish/config.fish");
  symlinkSync("../dotfiles/fish", join(p.root, "home/.config/fish"));
  const at = (name: string) => join(p.root, name);
  const find = (cwd: string) =>
    findGuarded({ directories: [at(cwd)], cwd: at(cwd), home: at("home"), configDir: at("home/.claude") });
  expect(find("home/.config/nvim/lua").readOnly).toEqual([at("home/dotfiles/fish")]);
  expect(find("home/dotfiles/fish").readOnly).toEqual([at("home/.config/nvim")]);
});

test("git: hooks are read-only, settings are watched, the folder cannot be replaced, the rest is writable", () => {
  using p = place();
  for (const name of ["config", "HEAD", "hooks/a", "objects/x", "info/attributes", "worktrees/w/HEAD"]) {
    p.write(`p/.git/${name}`);
  }
  p.write("home/.claude/x");
  for (const name of ["modules/libs/one", "modules/libs/one/modules/two"]) p.write(`p/.git/${name}/HEAD`);
  const { readOnly, pinned, missingFolders, gitSettings } = p.find();
  expect(readOnly).toEqual(["home/.claude", "p/.git/hooks", "p/.git/info/attributes"]);
  const modules = ["p/.git/modules/libs/one", "p/.git/modules/libs/one/modules/two"];
  expect(pinned).toEqual([
    "p/.git",
    "p/.git/info",
    "p/.git/modules",
    "p/.git/modules/libs",
    modules[0]!,
    "p/.git/modules/libs/one/modules",
    modules[1]!,
  ]);
  expect(missingFolders).toEqual(["p/.claude"]);
  const repositories = ["p/.git", ...modules].flatMap((folder) => [`${folder}/config`, `${folder}/config.worktree`]);
  expect(gitSettings).toEqual([...repositories, "p/.git/worktrees/w/config.worktree", "p/.gitmodules"].toSorted());
});

test("the shared folder of a worktree is guarded", () => {
  using p = place();
  p.write("main/.git/config");
  p.write("main/.git/hooks/a");
  p.write("main/.git/worktrees/w/commondir", "../..\n");
  p.write("p/.git", `gitdir: ${join(p.root, "main/.git/worktrees/w")}\n`);
  const { readOnly, gitSettings } = p.find();
  expect(readOnly).toEqual(["main/.git/hooks", "main/.git/worktrees/w/commondir", "p/.git"]);
  expect(gitSettings).toContain("main/.git/config");
});

test("folders that programs write to are not guarded; a link is guarded at its target", () => {
  using p = place();
  for (const name of [".yarn/cache/x", ".yarn/releases/y", ".cargo/registry/z", ".husky/_/h", ".husky/pre-commit"]) {
    p.write(`p/${name}`);
  }
  p.write("home/.cargo/registry/z");
  p.write("home/dotfiles/bashrc");
  symlinkSync("dotfiles/bashrc", join(p.root, "home/.bashrc"));
  p.write("p/.claude/settings.json");
  p.write("p/.claude/worktrees/one/file");
  p.write("home/.claude/x");
  expect(p.find()).toMatchObject({
    readOnly: ["home/.claude", "home/dotfiles/bashrc", "p/.claude", "p/.husky/pre-commit", "p/.yarn/releases"],
    pinned: ["p/.claude/worktrees", "p/.husky", "p/.yarn"],
    closedFolders: ["p/.husky"],
    missingFolders: [],
    links: ["home/.bashrc"],
  });
});

test("the configuration folder is guarded as a whole, wherever it is, and where the links in it lead", () => {
  using p = place();
  p.write("dotfiles/claude/keybindings.json");
  p.write("dotfiles/skills/one/SKILL.md");
  symlinkSync("../dotfiles/claude", join(p.root, "home/.claude"));
  symlinkSync("../skills", join(p.root, "dotfiles/claude/skills"));
  symlinkSync("../later/settings.json", join(p.root, "dotfiles/claude/settings.json"));
  const inside = ["home/.claude/CLAUDE.md", "home/.claude/session-env/one", "home/.claude/keybindings.json"];
  expect(p.find("p", inside)).toMatchObject({
    readOnly: ["dotfiles/claude", "dotfiles/skills"],
    pinned: ["dotfiles"],
    missingFiles: expect.arrayContaining(["dotfiles/later/settings.json"]),
    links: ["home/.claude"],
  });
});

test("a configuration folder around the working directory is guarded too; worktrees in it stay writable", () => {
  using p = place();
  p.write("p/.claude/worktrees/one/.mcp.json");
  p.write("p/.claude/settings.json");
  const at = (name: string) => join(p.root, name);
  const options = {
    directories: [at("p/.claude/worktrees/one")],
    cwd: at("p/.claude/worktrees/one"),
    home: at("home"),
  };
  const { readOnly, pinned } = findGuarded({ ...options, configDir: at("p/.claude") });
  const mcp = at("p/.claude/worktrees/one/.mcp.json");
  expect({ readOnly, pinned }).toEqual({ readOnly: [at("p/.claude"), mcp], pinned: [at("p/.claude/worktrees")] });
  expect(findGuarded({ ...options, configDir: at("p/.claude") }).missingFolders).toContain(at("home/.claude"));
  const fromHome = findGuarded({ directories: [at("p")], cwd: at("p"), home: at("p"), configDir: at("p/.claude") });
  expect(fromHome).toMatchObject({ readOnly: [at("p/.claude")], pinned: [at("p/.claude/worktrees")] });
});

test("a name that does not exist is guarded like one that does: behind links and below missing folders", () => {
  using p = place();
  p.write("p/.git/objects/x");
  p.write("p/.git/config", "[core]\n\thooksPath = .githooks\n");
  symlinkSync("dotfiles/one", join(p.root, "home/.npmrc"));
  symlinkSync("two", join(p.root, "home/dotfiles-one"));
  symlinkSync("../dotfiles-one", join(p.root, "p/.npmrc"));
  const { missingFiles, links } = p.find("p/sub", ["home/a/b/c.sh"]);
  expect(missingFiles).toEqual(
    expect.arrayContaining([
      "dotfiles-one",
      "home/.config/git",
      "home/a/b/c.sh",
      "home/dotfiles/one",
      "p/.git/info/attributes",
      "p/.githooks",
      "p/sub/.claude",
      "p/sub/.npmrc",
    ]),
  );
  expect(links).toEqual(["home/.npmrc", "p/.npmrc"]);
});
