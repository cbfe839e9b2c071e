// A temporary home and project for one test, and an isolated environment. It knows where files go, not what they mean.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export interface TemporaryHome extends Disposable {
  /** Contains everything below; removed as a whole. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** `~/.claude` of this home. */
  readonly configDir: string;
  /** Everything a program needs, and nothing from the caller: no keys, no configuration, no proxies. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file in the project, or in the home for `~/…`. Objects become JSON. Returns its full path. */
  write(path: string, content: string | Uint8Array | object): string;
  read(path: string): string;
  /** Writes the user's settings.json. */
  settings(settings: object): string;
  remove(): void;
}

export function temporaryHome(options: { readonly git?: boolean } = {}): TemporaryHome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-test-")));
  const at = (name: string) => join(root, name);
  const [home, project, temporary] = [at("home"), at("project"), at("tmp")] as const;
  for (const directory of [home, project, temporary]) mkdirSync(directory, { mode: 0o700 });

  const env = environment(home, temporary);
  const locate = (path: string) => (path.startsWith("~/") ? join(home, path.slice(2)) : resolve(project, path));
  const write: TemporaryHome["write"] = (path, content) => {
    const full = locate(path);
    const isBytes = typeof content === "string" || content instanceof Uint8Array;
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, isBytes ? content : `${JSON.stringify(content, null, 2)}\n`);
    return full;
  };
  const remove = () => rmSync(root, { recursive: true, force: true });

  if (options.git) initialise(project, env);
  return {
    root,
    home,
    project,
    configDir: join(home, ".claude"),
    env,
    write,
    read: (path) => readFileSync(locate(path), "utf8"),
    settings: (settings) => write("~/.claude/settings.json", settings),
    remove,
    [Symbol.dispose]: remove,
  };
}

function environment(home: string, temporary: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: temporary,
    USER: "tester",
    SHELL: "/bin/bash",
    TERM: "dumb",
    LANG: "C.UTF-8",
    TZ: "UTC",
    // Commits work and are the same every time; the machine's own git configuration is ignored.
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Tester",
    GIT_AUTHOR_EMAIL: "tester@example.com",
    GIT_COMMITTER_NAME: "Tester",
    GIT_COMMITTER_EMAIL: "tester@example.com",
  };
}

/** An empty repository on `main`. The empty template leaves out the sample hooks. */
function initialise(project: string, env: Record<string, string>): void {
  const made = Bun.spawnSync(["git", "init", "--quiet", "--initial-branch=main", "--template="], { cwd: project, env });
  if (!made.success) throw new Error(`git init failed in a temporary project: ${made.stderr.toString().trim()}`);
}
