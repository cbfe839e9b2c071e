// The read-only git commands. The repository's configuration belongs to the user; options that run or write are not
// listed.

import { list, only, options, unended, withoutValues, type OptionCheck } from "./read-only-options.ts";

export const readOnlyGit: OptionCheck = (words) => {
  // This does less than git by default: nothing is piped into another program.
  const [name, ...rest] = words[0] === "--no-pager" ? words.slice(1) : words;
  return name !== undefined && Object.hasOwn(GIT, name) && GIT[name]!(rest);
};

const LOOKS = list(`
  --abbrev --abbrev-commit --abbrev-ref --after --all --always --ancestry-path --author --before --boundary --branch --branches
  --cached --check --cherry-pick --color --color-words --committer --compact-summary --contains --count --date
  --date-order --decorate --deleted --diff-filter --directory --dirty --eol --error-unmatch --exclude-standard --exit-code --files-with-matches
  --find-renames --first-parent --fixed-strings --follow --format --full-history --full-name --git-dir --graph
  --grep --histogram --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignored
  --is-ancestor --is-inside-work-tree --killed --left-only --left-right --line-number --list --long --max-count --merged --merges
  --minimal --modified --name-only --name-status --no-color --no-decorate --no-ext-diff --no-merged --no-merges
  --no-patch --no-renames --no-textconv --numstat --oneline --others --patch --patience --pickaxe-regex
  --points-at --porcelain --pretty --quiet --raw --relative --remotes --reverse --right-only --short --shortstat
  --show-current --show-stash --show-toplevel --since --skip --sort --stage --staged --stat --summary --symbolic-full-name
  --tags --text --topo-order --unified --unmerged --until --untracked-files --verbose --verify --word-diff
`);
/** Never `--output`, `--ext-diff`, `--textconv`, `--open-files-in-pager`. */
const gitLook = options("0-9abcdefhiklmnopqrstuvwzABCDEGHILMNPRSTUVWX", ...LOOKS);

/**
 * The same where these options take the rest of their word: `git log -Sx`, `-n5`, `-U3`. To other subcommands, the rest
 * is more options: `git grep -n5Ovim` opens vim.
 */
const gitHistory: OptionCheck = (words) =>
  gitLook(words.map((word) => (/^-([SGL]|[nUM](?=[\d%]+$))[^-]/.test(word) ? word.slice(0, 2) : word)));

/** Neither `-O`, which runs a program, nor `-f`, which reads patterns from any file. */
const gitGrep = options("0-9acehilnopqrvwzABCEFGHILPW", ...LOOKS);

/** With one of these, git lists whatever else it is given. */
const FILTERS = /^--(no-)?(contains|merged)(=|$)|^--points-at(=|$)/;

/** The user's own configuration is read too, and may have passwords and tokens in these. */
const SECRET_KEYS = /auth|cookie|credential|header|insteadof|key|pass|proxy|secret|token|url/i;

/** Reads one value. What other options of `git config` would do to it does not matter if all are known to be harmless. */
const gitConfig: OptionCheck = (words) => {
  const rest = words.filter(
    (word) => !/^(--type=\w+|--(bool|int|path|bool-or-int|local|includes|no-includes|null)|-z)$/.test(word),
  );
  const typed = rest[0] === "--type" && /^\w+$/.test(rest[1] ?? "") ? rest.slice(2) : rest;
  const [action, key, ...more] = typed;
  if (key === undefined || key.startsWith("-") || SECRET_KEYS.test(key)) return false;
  return /^--get(-all)?$/.test(action ?? "") && more.length === 0;
};

/**
 * Only lists: no operand that would create, move or delete anything, unless it is marked as a pattern. In
 * `git branch --format --list x`, it is not.
 */
const gitList =
  (...flags: readonly string[]): OptionCheck =>
  (given) => {
    const words = withoutValues(given, (word) => (/^--(format|sort)$/.test(word) ? 1 : 0));
    // `git branch -l x` used to create a branch; only the long option lists in every version.
    const lists = words.some((word) => FILTERS.test(word) && flags.includes(word.split("=")[0]!));
    const patterns = lists || words.includes("--list") || (flags.includes("-l") && words.includes("-l"));
    return words.every((word) => flags.includes(word.split("=")[0]!) || (patterns && !word.startsWith("-")));
  };

/** It passes its words on to `git log` without the `--`, so `git stash list -- --output=x` writes x. */
const gitStash: OptionCheck = ([name = "", ...rest]) => ["list", "show"].includes(name) && unended(gitHistory)(rest);

const GIT: Readonly<Record<string, OptionCheck>> = {
  "--version": only(""),
  blame: gitHistory,
  branch: gitList(
    ...list("-a -r -v -vv -av -avv --all --remotes --list --show-current --verbose --sort --format --no-color"),
    ...list("--abbrev --no-abbrev --contains --no-contains --merged --no-merged --points-at --ignore-case"),
  ),
  "cat-file": (words) => /^-[pste]$/.test(words[0] ?? "") && words.slice(1).every((word) => !word.startsWith("-")),
  config: gitConfig,
  "count-objects": gitLook,
  describe: gitLook,
  diff: gitHistory,
  "for-each-ref": gitLook,
  grep: gitGrep,
  log: gitHistory,
  "ls-files": gitLook,
  "ls-tree": gitLook,
  "merge-base": gitLook,
  reflog: (words) =>
    words.every((word) => /^-\d+$/.test(word)) || (words[0] === "show" && unended(gitHistory)(words.slice(1))),
  remote: (words) =>
    ["", "-v", "--verbose"].includes(words.join(" ")) ||
    (words[0] === "get-url" && words.length === 2 && !words[1]!.startsWith("-")),
  "rev-list": gitHistory,
  "rev-parse": gitLook,
  shortlog: gitLook,
  show: gitHistory,
  "show-ref": gitLook,
  stash: gitStash,
  status: gitLook,
  tag: gitList(
    "-l",
    "--list",
    "-n",
    "--sort",
    "--format",
    "--no-color",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
  ),
  version: only(""),
  worktree: only("list", "list --porcelain", "list -v"),
};
