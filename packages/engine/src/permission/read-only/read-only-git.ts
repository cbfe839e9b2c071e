// The read-only git commands. The repository's configuration belongs to the user; options that run or write are not
// listed.

import { list, only, options, type OptionCheck } from "./read-only-options.ts";

export const readOnlyGit: OptionCheck = (words) => {
  // This does less than git by default: nothing is piped into another program.
  const [name, ...rest] = words[0] === "--no-pager" ? words.slice(1) : words;
  return name !== undefined && Object.hasOwn(GIT, name) && GIT[name]!(rest);
};

const LOOKS = list(`
  --abbrev --abbrev-commit --abbrev-ref --after --all --always --ancestry-path --author --before --boundary --branch --branches
  --cached --check --cherry-pick --color --color-words --committer --compact-summary --contains --count --date
  --date-order --decorate --deleted --diff-filter --dirty --exclude-standard --exit-code --files-with-matches
  --find-renames --first-parent --fixed-strings --follow --format --full-history --full-name --git-dir --graph
  --grep --histogram --ignore-all-space --ignore-blank-lines --ignore-case --ignore-space-change --ignored
  --is-ancestor --is-inside-work-tree --left-only --left-right --line-number --list --long --max-count --merged --merges
  --minimal --modified --name-only --name-status --no-color --no-decorate --no-ext-diff --no-merged --no-merges
  --no-patch --no-renames --no-textconv --numstat --oneline --others --patch --patience --pickaxe-regex
  --points-at --porcelain --pretty --quiet --raw --relative --remotes --reverse --right-only --short --shortstat
  --show-current --show-stash --show-toplevel --since --skip --sort --staged --stat --summary --symbolic-full-name
  --tags --text --topo-order --unified --until --untracked-files --verbose --verify --word-diff
`);
const look = options("0-9abcdefhilnopqrstuvwzABCDEGHILMNPRSTUVWX", ...LOOKS);

/**
 * `git log -S 'x'`, `-n 5`, `-U3`, `--format=…`; never `--output`, `--ext-diff`, `--textconv`, `--open-files-in-pager`.
 */
const gitLook: OptionCheck = (words) =>
  look(words.map((word) => (/^-[nUSGLM][^-]/.test(word) ? word.slice(0, 2) : word)));

/** Only lists: no operand that would create, move or delete anything, unless it is marked as a pattern. */
const gitList =
  (...flags: readonly string[]): OptionCheck =>
  (words) => {
    // `git branch -l x` used to create a branch; only the long option lists in every version.
    const patterns = words.includes("--list") || (flags.includes("-l") && words.includes("-l"));
    return words.every((word) => flags.includes(word.split("=")[0]!) || (patterns && !word.startsWith("-")));
  };

const GIT: Readonly<Record<string, OptionCheck>> = {
  "--version": only(""),
  blame: gitLook,
  branch: gitList(
    ...list("-a -r -v -vv -av -avv --all --remotes --list --show-current --verbose --sort --format --no-color"),
  ),
  "cat-file": (words) => /^-[pste]$/.test(words[0] ?? "") && words.slice(1).every((word) => !word.startsWith("-")),
  "count-objects": gitLook,
  describe: gitLook,
  diff: gitLook,
  "for-each-ref": gitLook,
  grep: (words) => gitLook(words) && !words.some((word) => /^-[a-zA-Z]*[Of]/.test(word)),
  log: gitLook,
  "ls-files": gitLook,
  "ls-tree": gitLook,
  "merge-base": gitLook,
  reflog: (words) => words.every((word) => /^-\d+$/.test(word)) || (words[0] === "show" && gitLook(words.slice(1))),
  remote: (words) =>
    ["", "-v", "--verbose"].includes(words.join(" ")) ||
    (words[0] === "get-url" && words.length === 2 && !words[1]!.startsWith("-")),
  "rev-list": gitLook,
  "rev-parse": gitLook,
  shortlog: gitLook,
  show: gitLook,
  "show-ref": gitLook,
  stash: (words) => ["list", "show"].includes(words[0] ?? "") && gitLook(words.slice(1)),
  status: gitLook,
  tag: gitList("-l", "--list", "-n", "--sort", "--format", "--no-color", "--contains", "--merged"),
  version: only(""),
  worktree: only("list", "list --porcelain", "list -v"),
};
