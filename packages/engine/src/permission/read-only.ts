// Commands that only look, with the options that keep them so. Anything not listed here is not read-only.
// Where a program looks is not decided here: see `command-files.ts`.

import type { CommandAnalysis, SimpleCommand } from "./command.ts";
import type { Word } from "./word.ts";

/** Longer commands always ask, as in the reference. */
const LONGEST = 10_000;

/** Every part of the command is on the list, stands in the open, and writes nowhere. */
export function isReadOnly(analysis: CommandAnalysis): boolean {
  if (analysis.problem !== undefined || analysis.commands.length === 0 || analysis.command.length > LONGEST)
    return false;
  if (!analysis.commands.every(looksOnly)) return false;
  // A `cd` into a folder with its own git configuration makes git run what that folder says.
  const programs = analysis.commands.map((command) => command.words[0]?.value);
  return !(programs.includes("cd") && programs.includes("git"));
}

/** One part on its own. */
function looksOnly(command: SimpleCommand): boolean {
  return command.redirections.every(writesNothing) && looksOnlyButRedirects(command);
}

/** The same, but for where its output goes. */
export function looksOnlyButRedirects(command: SimpleCommand): boolean {
  if (command.within.length > 0 || command.opaque) return false;
  const [program, ...words] = command.words;
  if (!command.redirections.every(readsKnown)) return false;
  if (program === undefined) return command.assignments.every(isPlainVariable);
  if (!command.assignments.every(isSafeAssignment) || program.kind !== "literal") return false;
  if (!Object.hasOwn(PROGRAMS, program.value)) return false;
  return words.every(isKnown) && PROGRAMS[program.value]!(words.map((word) => word.value));
}

function writesNothing({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "write" || (target.kind === "literal" && target.value === "/dev/null");
}

function readsKnown({ kind, target }: SimpleCommand["redirections"][number]): boolean {
  return kind !== "read" || target.kind === "literal" || target.kind === "home";
}

/** A pattern whose first character is fixed cannot turn into an option. */
function isKnown(word: Word): boolean {
  if (word.kind === "glob") return /^[\w./~]/.test(word.value);
  return word.kind !== "unknown";
}

const SAFE_NAMES =
  /^(NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|RUST_BACKTRACE|PYTHONUNBUFFERED)$/;

/** May stand before a command without changing what it does to the world. */
export function isSafeAssignment({ name, value }: SimpleCommand["assignments"][number]): boolean {
  return SAFE_NAMES.test(name) && value?.kind === "literal";
}

/** `x=1` alone, and the variable of a loop. Names in capitals may mean something to a program or to the shell. */
function isPlainVariable({ name, value }: SimpleCommand["assignments"][number]): boolean {
  return (
    /^[a-z][a-z0-9_]*$/.test(name) && !name.endsWith("_proxy") && (value === undefined || value.kind === "literal")
  );
}

type Check = (words: readonly string[]) => boolean;

const anything: Check = () => true;

/** Nothing but these short options (as letters) and long ones (with or without `=value`); any operands. */
function options(letters: string, ...long: readonly string[]): Check {
  const short = new RegExp(`^-[${letters}]+$`);
  return (words) => {
    const end = words.indexOf("--");
    return (end < 0 ? words : words.slice(0, end)).every(
      (word) => !/^[-+]./.test(word) || short.test(word) || long.includes(word.split("=")[0]!),
    );
  };
}

/** None of these options, neither whole, abbreviated, nor in a cluster of letters. */
function without(letters: string, ...long: readonly string[]): Check {
  return (words) =>
    words.every((word) => {
      if (word.startsWith("--")) {
        const name = word.split("=")[0]!;
        return !long.some((each) => name.length > 2 && each.startsWith(name));
      }
      return !word.startsWith("-") || letters === "" || !new RegExp(`[${letters}]`).test(word.slice(1));
    });
}

const only =
  (...lines: readonly string[]): Check =>
  (words) =>
    lines.includes(words.join(" "));

const operands =
  (most: number, check: Check): Check =>
  (words) =>
    check(words) && words.filter((word) => !word.startsWith("-")).length <= most;

/** `test` and `[[`: `-v` and comparisons of numbers evaluate subscripts, commands and all. */
const test: Check = (words) => {
  const numeric = (word: string | undefined) => word !== undefined && /^(-?\d+|\$[?#$])$/.test(word);
  return words.every((word, at) => {
    if (word === "-v" || word === "-R") return false;
    return !/^-(eq|ne|lt|le|gt|ge)$/.test(word) || (numeric(words[at - 1]) && numeric(words[at + 1]));
  });
};

const find: Check = (words) => {
  const harmless =
    /^-(H|L|P|a|amin|and|anewer|atime|cmin|cnewer|ctime|d|daystart|depth|empty|executable|false|follow|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|ls|maxdepth|mindepth|mmin|mount|mtime|name|newer|nogroup|noleaf|not|nouser|o|or|path|perm|print|print0|printf|prune|quit|readable|regex|regextype|samefile|size|true|type|uid|user|wholename|writable|xdev|xtype|newer[aBcm][aBcmt])$/;
  return words.every((word, at) => !/^-[a-zA-Z]/.test(word) || harmless.test(word) || takesValue(words[at - 1]));
};

/** The word after `-mtime` and its like may begin with a minus. */
function takesValue(option: string | undefined): boolean {
  return option !== undefined && /^-(perm|printf)$/.test(option);
}

/** Addresses, `p`, `=`, `d`, `q` and `s///` without `e` or `w`. */
const SED_SCRIPT =
  /^((\d+|\$|\/[^/\\\n]*\/)(,(\+?\d+|\$|\/[^/\\\n]*\/))?!?)?([pd=q]|s([/|#,:])(?:(?!\6)[^\\\n]|\\[^\n])*\6(?:(?!\6)[^\\\n]|\\[^\n])*\6[gpiI0-9]*)?$/;

export function isSafeSedScript(script: string): boolean {
  return script.split(/;|\n/).every((part) => SED_SCRIPT.test(part.trim()));
}

const sed: Check = (words) => {
  if (!words.some((word) => /^-[nEr]*n[nEr]*$/.test(word))) return false;
  const rest = words.filter((word) => !/^-[nEr]+$/.test(word));
  return rest.length > 0 && isSafeSedScript(rest[0]!) && rest.slice(1).every((word) => !word.startsWith("-"));
};

const GIT_LOOKS =
  "--oneline --graph --all --stat --shortstat --numstat --name-only --name-status --decorate --no-decorate --abbrev-commit --cached --staged --short --porcelain --branch --show-stash --patch --no-patch --no-merges --merges --first-parent --reverse --follow --since --until --after --before --author --grep --format --pretty --date --max-count --color --no-color --no-ext-diff --no-textconv --word-diff --ignore-all-space --diff-filter --untracked-files --ignored --tags --always --dirty --long --abbrev --show-toplevel --abbrev-ref --verify --git-dir --is-inside-work-tree --show-current --symbolic-full-name --others --exclude-standard --modified --deleted --full-name --line-number --ignore-case --files-with-matches --count --fixed-strings --unified --left-right --list --verbose --remotes --merged --no-merged --contains --sort --points-at --no-renames --summary --compact-summary --raw --quiet --text --minimal --histogram --patience".split(
    " ",
  );
const gitOptions = options("0-9abcdefhilnpqrstuvwzABCDEGHILMNPRSTUVWX", ...GIT_LOOKS);

/** `git log -S 'x'`, `-n 5`, `-U3`, `--format=…`; never `--output`, `--ext-diff`, `--textconv`, `--open-files-in-pager`. */
const gitLook: Check = (words) =>
  gitOptions(words.map((word) => (/^-[nUSGLM][^-]/.test(word) ? word.slice(0, 2) : word)));
/** Only listing: no operand that would make, move or drop one. */
const gitList =
  (...flags: readonly string[]): Check =>
  (words) =>
    words.every((word) => flags.includes(word.split("=")[0]!));

const GIT: Readonly<Record<string, Check>> = {
  blame: gitLook,
  branch: gitList(
    "-a",
    "-r",
    "-v",
    "-vv",
    "-av",
    "-avv",
    "--all",
    "--remotes",
    "--list",
    "--show-current",
    "--verbose",
    "--sort",
    "--format",
    "--no-color",
  ),
  "cat-file": (words) => /^-[pste]$/.test(words[0] ?? "") && words.slice(1).every((word) => !word.startsWith("-")),
  describe: gitLook,
  diff: gitLook,
  grep: (words) => gitLook(words) && !words.some((word) => /^-[a-zA-Z]*[Of]/.test(word)),
  log: gitLook,
  "ls-files": gitLook,
  reflog: (words) => words.length === 0 || (words[0] === "show" && gitLook(words.slice(1))),
  remote: only("", "-v", "--verbose"),
  "rev-parse": gitLook,
  show: gitLook,
  stash: (words) => words[0] === "list" && gitLook(words.slice(1)),
  status: gitLook,
  tag: gitList("-l", "--list", "-n", "--sort", "--format", "--no-color"),
  worktree: only("list", "list --porcelain", "list -v"),
};

const git: Check = (words) => {
  const [name, ...rest] = words;
  return name !== undefined && Object.hasOwn(GIT, name) && GIT[name]!(rest);
};

const grep = options(
  "0-9achilnoqrsvwxyzABCEFGHILRTUVZmePb",
  ..."--color --colour --include --exclude --exclude-dir --recursive --ignore-case --line-number --files-with-matches --files-without-match --count --invert-match --word-regexp --line-regexp --only-matching --no-filename --with-filename --context --after-context --before-context --max-count --extended-regexp --fixed-strings --perl-regexp --regexp --quiet --silent --no-messages --text --binary-files --null".split(
    " ",
  ),
);
const rg = options(
  "0-9acilnoqrsvwxABCFHILMNPSTUVegmtuj",
  ..."--color --colors --ignore-case --smart-case --case-sensitive --line-number --no-line-number --files --files-with-matches --files-without-match --count --count-matches --glob --iglob --type --type-not --type-list --hidden --no-ignore --max-count --max-depth --context --after-context --before-context --multiline --multiline-dotall --word-regexp --fixed-strings --only-matching --heading --no-heading --sort --sortr --json --stats --vimgrep --pcre2 --regexp --replace --trim --no-messages --max-columns --null --with-filename --no-filename --invert-match --passthru --version --column".split(
    " ",
  ),
);

const PROGRAMS: Readonly<Record<string, Check>> = {
  "[": test,
  "[[": test,
  arch: options(""),
  base64: without("o", "--output"),
  basename: anything,
  cat: anything,
  cd: (words) => words.length <= 1 && !words[0]?.startsWith("-"),
  cmp: anything,
  column: anything,
  comm: anything,
  cut: anything,
  date: (words) =>
    options("uIR", "--utc", "--iso-8601", "--rfc-3339", "--rfc-email")(words.filter((word) => !word.startsWith("+"))) &&
    words.every((word) => /^[-+]/.test(word)),
  df: anything,
  diff: anything,
  dirname: anything,
  docker: (words) => ["ps", "images", "logs"].includes(words[0] ?? ""),
  du: anything,
  echo: anything,
  expr: anything,
  false: anything,
  fd: options(
    "0-9aeHIiLlpsSdtgFE1qu",
    "--type",
    "--extension",
    "--hidden",
    "--no-ignore",
    "--glob",
    "--max-depth",
    "--exclude",
    "--absolute-path",
    "--full-path",
    "--ignore-case",
  ),
  file: options("bhikLNrs0", "--brief", "--mime", "--mime-type", "--mime-encoding", "--dereference"),
  find,
  free: anything,
  git,
  grep,
  groups: options(""),
  head: anything,
  history: only(""),
  hostname: operands(0, options("sfdiIA")),
  id: anything,
  ip: (words) =>
    ["addr", "a", "address"].includes(
      words.filter((word) => !/^-(br(ief)?|c(olor)?|4|6|j(son)?|o)$/.test(word)).join(" "),
    ),
  jq: (words) =>
    !words.some((word) => /\b(import|include)\b/.test(word)) &&
    options(
      "0-9acCehijMnrsSR",
      "--arg",
      "--argjson",
      "--raw-output",
      "--compact-output",
      "--null-input",
      "--slurp",
      "--exit-status",
      "--sort-keys",
      "--tab",
      "--indent",
      "--raw-input",
      "--join-output",
      "--color-output",
      "--monochrome-output",
    )(words),
  locale: options("acmk"),
  ls: anything,
  lsof: without("D"),
  man: (words) => options("akfw")(words) && !words.some((word) => word.includes("/")),
  md5sum: anything,
  netstat: anything,
  nl: anything,
  node: only("--version", "-v"),
  nproc: anything,
  od: anything,
  paste: anything,
  // `-v` and `%n` assign to variables.
  printf: (words) => !(words[0] ?? "").startsWith("-") && !/%[^%a-zA-Z]*n/.test(words[0] ?? ""),
  ps: anything,
  pwd: options("LP"),
  python: only("--version", "-V"),
  python3: only("--version", "-V"),
  readlink: anything,
  realpath: anything,
  rev: anything,
  rg,
  sed,
  seq: anything,
  sha256sum: anything,
  sleep: anything,
  sort: options(
    "0-9bcCdfghiMmnrRsuVz.,kt",
    "--reverse",
    "--unique",
    "--numeric-sort",
    "--key",
    "--field-separator",
    "--human-numeric-sort",
    "--version-sort",
    "--ignore-case",
    "--stable",
    "--check",
  ),
  ss: without("KDF", "--kill", "--diag", "--filter"),
  stat: anything,
  strings: anything,
  tac: anything,
  tail: anything,
  test,
  tput: operands(1, options("")),
  tr: anything,
  tree: without("oR"),
  true: anything,
  type: anything,
  uname: anything,
  uptime: anything,
  wc: anything,
  which: anything,
  whoami: anything,
};
