// Rules to suggest for a command: as narrow as is still useful, either this exact command or, for a program with
// subcommands, this subcommand.

import type { PermissionUpdate } from "@keelson/protocol";
import { destructiveWord } from "@keelson/protocol/destructive";
import { addRules } from "../../rules/suggest.ts";
import type { SimpleCommand } from "../analysis/command.ts";
import { isShell } from "../inner/wrapper.ts";

const MOST_RULES = 5;
const LONGEST_RULE = 200;

/** One rule for each part; none when one of the parts has none. */
export function suggestCommands(contents: readonly (string | undefined)[]): PermissionUpdate[] {
  const rules = [...new Set(contents)].filter((content) => content !== undefined);
  if (rules.length === 0 || rules.length > MOST_RULES || contents.includes(undefined)) return [];
  return [addRules(rules.map((ruleContent) => ({ toolName: "Bash", ruleContent })))];
}

/** What might allow this part, preferred first: its subcommand with any arguments, or its exact text. */
export function rulesFor({ words, text, within, opaque, redirections }: SimpleCommand): string[] {
  const [program, ...rest] = words;
  if (program === undefined || within.length > 0 || opaque || words.some((word) => word.kind === "unknown")) return [];
  const isFed = redirections.some(({ kind }) => kind === "text" || kind === "read");
  // A rule does not see what is fed to a program: `python` would then be any program at all.
  if (runsCode(program.value) && (isFed || rest.every((word) => word.value.startsWith("-")))) return [];
  const depth = Object.hasOwn(FAMILIES, program.value) ? depthOf(program.value, rest[0]?.value) : 0;
  const path = words.slice(1, depth + 1);
  const isPath = depth > 0 && path.length === depth;
  // The rule would cover what destroys something else, and what is harmless would not need it.
  const isDestructive = destructiveWord(words.map(({ value }) => value)) !== undefined;
  const isNamed = !isDestructive && isPath && path.every((word) => word.kind === "literal" && NAME.test(word.value));
  // A text with a star would be read as a pattern.
  const isExact = !/[*\n]/.test(text) && text.length <= LONGEST_RULE;
  return [
    ...(isNamed ? [`${[program.value, ...path.map((word) => word.value)].join(" ")} *`] : []),
    ...(isExact ? [text] : []),
  ];
}

const NAME = /^[a-z][a-z-]*$/;

/** Programs whose second word says what they do; those under `groups` say it with the third; those under `any` run anything. */
interface Family {
  readonly groups?: readonly string[];
  readonly any?: readonly string[];
}

const FAMILIES: Readonly<Record<string, Family>> = {
  apt: {},
  aws: { groups: ["*"] },
  brew: {},
  bun: { groups: ["pm"], any: ["exec", "run", "x"] },
  bundle: { any: ["exec"] },
  cargo: { any: ["run"] },
  composer: { any: ["exec"] },
  deno: { any: ["eval", "run"] },
  docker: { groups: ["compose", "container", "image", "network", "volume"], any: ["exec", "run"] },
  dotnet: { any: ["exec", "run"] },
  gcloud: { groups: ["*"] },
  gh: { groups: ["issue", "pr", "release", "repo", "run", "workflow"], any: ["alias", "api", "extension"] },
  git: { groups: ["remote", "stash", "worktree"], any: ["bisect", "config", "filter-branch", "rebase", "submodule"] },
  go: { any: ["generate", "run"] },
  gradle: {},
  helm: {},
  just: {},
  kubectl: { groups: ["config", "rollout"], any: ["debug", "exec", "run"] },
  make: {},
  mvn: {},
  npm: { any: ["exec", "explore", "x"] },
  pip: {},
  pip3: {},
  pnpm: { any: ["dlx", "exec"] },
  podman: { groups: ["compose"], any: ["exec", "run"] },
  poetry: { any: ["run"] },
  rake: {},
  systemctl: {},
  terraform: { any: ["console"] },
  uv: { groups: ["pip"], any: ["run", "tool"] },
  yarn: { any: ["dlx", "exec"] },
};

/** How many words after the program make a rule; none where the subcommand runs whatever follows it. */
function depthOf(program: string, subcommand: string | undefined): number {
  const { groups = [], any = [] } = FAMILIES[program]!;
  if (subcommand === undefined || any.includes(subcommand)) return 0;
  return groups.includes(subcommand) || groups.includes("*") ? 2 : 1;
}

const INTERPRETERS =
  /^(python|node|bun|deno|ssh|ruby|perl|php|lua|Rscript|osascript|awk|gawk|tclsh|psql|mysql|sqlite3)[\d.]*$/;

function runsCode(program: string): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  return isShell(name) || INTERPRETERS.test(name);
}
