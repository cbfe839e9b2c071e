// Temporary folders with skills and commands, and the set that a session would get there.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Plugin, SkillProblem } from "@keelson/protocol";
import { load } from "../load/load.ts";
import type { Flags, Snapshot } from "../load/snapshot.ts";
import { loadSkills, type SkillOptions } from "./load-skills.ts";
import type { SkillSet } from "./skill-set.ts";

export interface SkillWorld extends Disposable {
  readonly root: string;
  readonly cwd: string;
  put(path: string, content: unknown): string;
  /** A skill with this description; more lines of frontmatter may follow. */
  skill(folder: string, description: string, more?: string): string;
  snapshot(options?: SnapshotOptions): Snapshot;
  open(options?: OpenOptions): SkillSet;
  trust(...folders: readonly string[]): void;
}

export interface SnapshotOptions {
  readonly cwd?: string | undefined;
  readonly flags?: Flags | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
}

export interface OpenOptions extends SkillOptions, SnapshotOptions {}

/** With `home`, `project` (a repository) and `managed` inside. */
export function skillWorld(): SkillWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-skills-")));
  const put = (path: string, content: unknown) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const snapshot = ({ cwd = "project", flags = {}, env = {}, plugins = [] }: SnapshotOptions = {}): Snapshot => ({
    ...load({
      cwd: join(root, cwd),
      home: join(root, "home"),
      env,
      flags,
      platform: "linux",
      managedDir: join(root, "managed"),
      uid: process.getuid!(),
    }),
    plugins: { active: plugins, unused: [] },
  });
  mkdirSync(join(root, "project/.git"), { recursive: true });
  mkdirSync(join(root, "home"));
  return {
    root,
    cwd: join(root, "project"),
    put,
    skill: (folder, description, more = "") =>
      put(`${folder}/SKILL.md`, `---\ndescription: ${description}\n${more}---\nText of ${folder}\n`),
    trust: (...folders) =>
      void put("home/.claude.json", {
        projects: Object.fromEntries(folders.map((folder) => [join(root, folder), { hasTrustDialogAccepted: true }])),
      }),
    snapshot,
    open({ cwd, flags, env, plugins, ...options } = {}) {
      return loadSkills(snapshot({ cwd, flags, env, plugins }), options);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const namesOf = (skills: readonly { readonly name: string }[]) => skills.map(({ name }) => name);

/** `kind path:line why`, with paths relative to the root. */
export const problemsOf = ({ root }: SkillWorld, problems: readonly SkillProblem[]) =>
  problems.map(({ kind, file, line, why }) =>
    `${kind} ${file}${line === undefined ? "" : `:${line}`} ${why}`.replaceAll(`${root}/`, ""),
  );
