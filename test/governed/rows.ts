// Every kind of file that a session reads or executes outside the shield, by its place. The first row that matches a
// path counts. A path without a row fails the matrix: whoever makes Keelson read something new decides here what it is.

import { IN_HOME_FOLDERS } from "../../packages/host/src/sandbox/guarded/at-home.ts";
import type { World } from "./world.ts";

export interface Row {
  readonly name: string;
  /** Places are written `~/…`, `./…` (the project), `^/…` (a folder above the project), `$TMPDIR/…`, `$PROGRAM`, or absolute. */
  readonly pattern: RegExp;
  /**
   * Commands cannot change it; or what they put there is never run outside the shield; or why a change has no effect on what a
   * session may do.
   */
  readonly kept: true | "never run" | string;
}

const row = (name: string, pattern: RegExp, kept: Row["kept"] = true): Row => ({ name, pattern, kept });

const START_FILES = /\.(?:bashrc|bash_\w+|profile|z\w+)/.source;
const TOOL_FILES =
  /\.(?:gitconfig|envrc|npmrc|yarnrc(?:\.yml)?|pnp\.\w+(?:\.mjs)?|pnpmfile\.cjs|bazel\w+|pre-commit-config\.yaml|devcontainer(?:\.json)?|ripgreprc|bunfig\.toml|vscode|idea|mvn|yarn\/\w+|cargo\/\S+|husky|lefthook\.yml)|bunfig\.toml|lefthook[-.\w]*|pyrightconfig\.json|gradle\/wrapper\/\S+/
    .source;

/** No session reads them: they run later, when the user logs in or starts a program. */
const atLogIn = () =>
  [...IN_HOME_FOLDERS].flatMap(([folder, names]) => names.map((name) => (folder === "." ? name : `${folder}/${name}`)));

const withAbove = (folder: string) => folder.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"));

export const ROWS: readonly Row[] = [
  row("the system", /^\/(?:usr|lib\d*|bin|sbin|etc|proc|sys|dev|run|var|\$bunfs)(?:\/|$)/, "belongs to the system"),
  row(
    "folders on the way",
    /^(?:\/|\/tmp|\^|~|\.|\$TMPDIR|~\/\.(?:config|cache|cargo|local|local\/bin)|\.\/(?:\.yarn|\.cargo|gradle|gradle\/wrapper))$/,
    "a folder that everything uses",
  ),

  row("the program itself", /^\$PROGRAM$/),
  row(
    "programs of the sandbox's library",
    /\/vendor\/(?:seccomp\/x64\/apply-seccomp|java-proxy-agent\/srt-proxy-agent\.jar)$/,
    "never run",
  ),
  row("where runs of routines work", /^\^\/[wv](?:\/|$)/),
  row("a database of routines in a folder of its own", /^\^\/kept(?:\/|$)/),
  row("a backup", /^\^\/backup\.db(?:-\w+)?$/, "written, and read by nobody"),
  row(
    "what the sandbox's library lets its commands write to",
    /^(?:\/private)?\/tmp\/claude$/,
    "looked for, and not read",
  ),
  row("a repository that runs work on", /^\^\/origin(?:\/|$)/, "our own git runs nothing of a repository"),
  row(
    "what npm looks at",
    /^(?:~\/\.npm\/.*|(?:\^|\/tmp|)\/(?:node_modules|package\.json))$/,
    "doctor asks it for a path",
  ),
  row("the configuration folder", /^~\/\.claude(?:\/|$)/),
  row("the user's state", /^~\/\.claude\.json$/),
  row("programs that Keelson unpacked", /^~\/\.cache\/keelson(?:\/|$)/),
  row("programs by name", /^~\/\.local\/bin\//, "never run"),
  row(
    "start files and settings of tools at home",
    new RegExp(`^~/(?:${START_FILES}|${TOOL_FILES}|\\.config/git)(?:/|$)`),
  ),

  row(
    "folders on the way to what runs at the next log-in",
    new RegExp(`^~/(?:${[...IN_HOME_FOLDERS.keys()].flatMap(withAbove).map(RegExp.escape).join("|")})$`),
    "a folder that everything uses",
  ),
  row("what runs at the next log-in", new RegExp(`^~/(?:${atLogIn().map(RegExp.escape).join("|")})(?:/|$)`)),

  row("worktrees", /^\.\/\.claude\/worktrees(?:\/|$)/, "work is done in them"),
  row(
    "ignore files",
    /(?:^|\/)\.(?:git|rg)?ignore$|(?:^|\/)\.jj$|\.git\/info\/exclude$/,
    "decides what a search shows",
  ),
  row("attributes", /^\.\/(?:.*\/)?\.gitattributes$/, "name filters, which only git's settings define"),
  row("the project's settings", /^\.\/\.claude(?:\/|$)/),
  row("settings below", /^\.\/.*\/(?:\.claude(?:\/|$)|\.mcp\.json$)/, "what nobody was asked about only restricts"),
  row("settings above", /^(?:\^|\/tmp|)\/\.claude(?:\/|$)/),
  row("server files", /\/\.mcp\.json$/),
  row("instructions", /\/(?:CLAUDE|CLAUDE\.local|AGENTS)\.md$/, "text for the model; it grants nothing"),
  row("settings of tools", new RegExp(`^\\./(?:${START_FILES}|${TOOL_FILES})(?:/|$)`)),
  row("what git runs", /^\.\/\.git\/(?:hooks|commondir|info\/attributes)(?:\/|$)/),
  row("git's settings", /^\.\/(?:\.gitmodules|\.git\/config(?:\.worktree)?)$/, "settings that run programs are undone"),
  row("a repository's data", /(?:^|\/)(?:\.git|HEAD)(?:\/|$)/, "our own git runs nothing of a repository"),
  row("scripts of hooks and helpers", /^\.\/scripts\/(?:project-hook|key)\.sh$/),
  row("a plugin in the project", /^\.\/plugin\//),

  row("masks and copies of the shield", /^\$TMPDIR\/keelson-[0-9a-f]+(?:\/|$)/, "gone with the session that made it"),
  row(
    "the copy in which `hooks test` tries hooks",
    /^\$TMPDIR\/keelson-hooks-\w+(?:\/|$)/,
    "with a random name, and gone when the hooks have run, which the user asked for",
  ),
  row("the configuration of a session from a store", /^\$TMPDIR\/claude-\d+\/keelson-resume-\w+(?:\/|$)/),
  row("tmux's socket", /^\^\/panes$/, "whoever answers there gets a teammate, which is asked like any other"),
  row(
    "where sessions listen if the folder for temporary files has a long name",
    /^\/tmp\/claude-\d+(?:\/open)?$/,
    "hidden from commands if it is a folder; whoever connects has to prove who he is",
  ),
  row("the program of a trial of the shield, for root", /^\$TMPDIR\/claude-\d+\/trial-\w+(?:\/|$)/),
  row("outputs of tasks", /^\$TMPDIR\/claude-\d+(?:\/|$)/, "opened without links, as output of that command"),
  row("the project", /^\.\//, "what the session works on"),
];

export function rowOf(path: string, world: World): Row | undefined {
  const place = placeOf(path, world);
  return ROWS.find(({ pattern }) => pattern.test(place));
}

/** The path as rows name places. */
export function placeOf(path: string, { program, home: { root, home, project, env } }: World): string {
  if (path === program) return "$PROGRAM";
  // A folder on the way to it.
  if (program.startsWith(`${path}/`)) return "/";
  const places = [
    [home, "~"],
    [project, "."],
    [env["TMPDIR"]!, "$TMPDIR"],
    [root, "^"],
  ] as const;
  const [folder, name] = places.find(([each]) => path === each || path.startsWith(`${each}/`)) ?? ["", ""];
  return `${name}${path.slice(folder.length)}`;
}
