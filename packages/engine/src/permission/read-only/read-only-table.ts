// The read-only programs, with the options that keep them read-only. A program that is not listed is not read-only.
// Options are listed in full, never abbreviated: `--out` is not `--output`, and neither is listed.

import { readOnlyGit } from "./read-only-git.ts";
import {
  anything,
  list,
  only,
  operands,
  options,
  unended,
  without,
  withoutValues,
  type OptionCheck,
} from "./read-only-options.ts";
import { ps } from "./read-only-ps.ts";
import { sed } from "./read-only-sed.ts";

/** `test` and `[[`: `-v` and numeric comparisons evaluate subscripts, including commands. */
const test: OptionCheck = (words) => {
  const numeric = (word: string | undefined) => word !== undefined && /^(-?\d+|\$[?#$])$/.test(word);
  return words.every((word, at) => {
    if (word === "-v" || word === "-R") return false;
    return !/^-(eq|ne|lt|le|gt|ge)$/.test(word) || (numeric(words[at - 1]) && numeric(words[at + 1]));
  });
};

const FIND_TESTS = new Set(
  list(
    "-H -L -P -a -and -d -daystart -depth -empty -executable -false -follow -ls -mount -nogroup -noleaf -not -nouser -o -or -print -print0 -prune -quit -readable -true -writable -xdev",
  ),
);
/** Options that take the next word, whatever it looks like. */
const FIND_VALUES =
  /^-(amin|anewer|atime|cmin|cnewer|ctime|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|maxdepth|mindepth|mmin|mtime|name|newer|newer[aBcm][aBcmt]|path|perm|printf|regex|regextype|samefile|size|type|uid|user|wholename|xtype)$/;

/** Read from left to right, as find does: in `-name -perm -delete`, the last word is not a value. */
const find: OptionCheck = (words) => {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (FIND_VALUES.test(word)) at++;
    else if (word.startsWith("-") && !FIND_TESTS.has(word)) return false;
  }
  return true;
};

const grep = options(
  "0-9achilnoqrsvwxyzABCEFGHILRTUVZmePb",
  ...list(`
    --after-context --before-context --binary-files --color --colour --context --count --exclude --exclude-dir
    --extended-regexp --files-with-matches --files-without-match --fixed-strings --ignore-case --include --invert-match
    --line-buffered --line-number --line-regexp --max-count --no-filename --no-messages --null --only-matching
    --perl-regexp --quiet --recursive --regexp --silent --text --with-filename --word-regexp
  `),
);

const rg = options(
  "0-9acdilnopqrsvwxABCFHILMNPSTUVegmtuj",
  ...list(`
    --after-context --before-context --case-sensitive --color --colors --column --context --count --count-matches
    --files --files-with-matches --files-without-match --fixed-strings --follow --glob --heading --hidden --iglob
    --ignore-case --invert-match --json --line-number --line-regexp --max-columns --max-count --max-depth --multiline
    --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs --no-line-number --no-messages
    --null --only-matching --passthru --pcre2 --pretty --quiet --regexp --replace --smart-case --sort --sortr --stats
    --threads --trim --type --type-list --type-not --version --vimgrep --with-filename --word-regexp
  `),
);

const sort: OptionCheck = (words) =>
  options(
    "0-9bcCdfghiMmnrRsuVz.,kt",
    ...list(`
      --check --field-separator --human-numeric-sort --ignore-case --key --numeric-sort --reverse --stable --unique
      --version-sort
    `),
  )(words.map((word) => (/^-[bdfghinrsuV]*t[^-]$/.test(word) ? "-t" : word)));

/** `-s` and a bare operand set the clock. */
const date: OptionCheck = (words) => {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (/^(-d|--date|-r|--reference)$/.test(word)) at++;
    else if (!/^(\+|-[uIR]+$|-I[a-z]+$|--(utc|iso-8601|rfc-3339|rfc-email|date|reference)(=|$))/.test(word))
      return false;
  }
  return true;
};

const WIDTH = "[-+ #0']*(?:\\d+|\\*)?(?:\\.(?:\\d+|\\*)?)?(?:hh|h|ll|l|L|j|t|z)?";
/** Conversions that print their argument as is, and those that read it as a number or a time. */
const PRINTS = new RegExp(`^(?:[^%]|%%|%${WIDTH.replaceAll("|\\*", "")}[sbq])*$`);
const COUNTS = new RegExp(`^(?:[^%]|%%|%${WIDTH}(?:[sbqdiouxXeEfFgGaAc]|\\([^()]*\\)T))*$`);

/** `-v` and `%n` assign to variables; some shells do arithmetic with the argument of `%d`. */
const printf: OptionCheck = ([format = "", ...values]) => {
  if (format.startsWith("-") || !COUNTS.test(format)) return false;
  return PRINTS.test(format) || values.every((value) => /^[\w .,:/+-]*$/.test(value));
};

const jqOptions = options(
  "0-9acCehijMnrsSR",
  ...list(`
    --arg --argjson --color-output --compact-output --exit-status --indent --join-output --monochrome-output
    --null-input --raw-input --raw-output --slurp --sort-keys --tab
  `),
);

/** No programs or modules from files, and no environment. In `--arg a -- -f x`, the dashes are a value. */
const jq: OptionCheck = (words) =>
  !words.some((word) => /\b(import|include|modulemeta|get_search_list)\b|(?<![.\w])(env|ENV)\b|\$\s*__/.test(word)) &&
  jqOptions(withoutValues(words, (word) => (/^--arg(json)?$/.test(word) ? 2 : word === "--indent" ? 1 : 0)));

/**
 * It writes to its second operand, whatever that looks like: options end with the first operand, and in `-s -c 5 out`
 * the number is not a value. `-r` turns a dump back into a file.
 */
const xxd: OptionCheck = (words) => {
  let at = 0;
  for (; /^-./.test(words[at] ?? ""); at++) {
    const word = words[at]!;
    if (/^-[cglos]$/.test(word)) {
      if (!NUMBER.test(words[++at] ?? "")) return false;
    } else if (!/^-([abCdeEipu]|ps)$/.test(word) && !(/^-[cglos]/.test(word) && NUMBER.test(word.slice(2))))
      return false;
  }
  return words.length - at <= 1;
};
const NUMBER = /^[-+]?(0x[\da-f]+|\d+)$/i;

/** No other server and no other settings: podman, which may be called docker, takes such options after a subcommand too. */
const DOCKER: Readonly<Record<string, OptionCheck>> = {
  images: options("aqf", ...list("--all --digests --filter --format --no-trunc --quiet --tree")),
  logs: options("0-9ftn", ...list("--details --follow --since --tail --timestamps --until")),
  ps: options("0-9aqnlsf", ...list("--all --filter --format --last --latest --no-trunc --quiet --size")),
};
const docker: OptionCheck = ([name = "", ...rest]) => Object.hasOwn(DOCKER, name) && DOCKER[name]!(rest);

/** With `-c`, it opens the files that a list names, which no one has judged. */
const checksum = without("c", "--check");

const IP_FLAGS = /^-(br(ief)?|c(olor)?|4|6|j(son)?|o)$/;

/** Numbers only: some shells do arithmetic with the argument of `exit`. */
const status: OptionCheck = (words) => words.length <= 1 && /^\d*$/.test(words[0] ?? "");

export const PROGRAMS: Readonly<Record<string, OptionCheck>> = {
  ":": anything,
  "[": test,
  "[[": test,
  arch: options(""),
  base64: without("o", "--output"),
  basename: anything,
  break: status,
  cal: options("0-9135jmsyY"),
  cat: anything,
  cd: (words) => words.length <= 1 && !words[0]?.startsWith("-"),
  cksum: checksum,
  cmp: anything,
  column: anything,
  comm: anything,
  // Only to look up a name.
  command: (words) => /^-[vV]$/.test(words[0] ?? ""),
  continue: status,
  cut: anything,
  date,
  df: anything,
  diff: anything,
  dirname: anything,
  docker,
  // A file with a list of files names files no one has judged; the same goes for `wc` and `strings`.
  du: without("", "--files0-from"),
  echo: anything,
  egrep: grep,
  exit: status,
  expand: anything,
  expr: anything,
  false: anything,
  fd: options(
    "0-9aeHIiLlpsSdtgFE1qu",
    ...list(`
      --absolute-path --exclude --extension --full-path --glob --hidden --ignore-case --max-depth --no-ignore --type
    `),
  ),
  factor: anything,
  fgrep: grep,
  file: options("bhikLNrs0", ...list("--brief --mime --mime-type --mime-encoding --dereference")),
  find,
  fmt: anything,
  fold: anything,
  free: anything,
  git: readOnlyGit,
  grep,
  groups: options(""),
  head: anything,
  // Not `-f`: its format is a file.
  hexdump: options("0-9bcCdovxnse"),
  history: only(""),
  hostname: operands(0, options("sfdiIA")),
  id: anything,
  ip: (words) =>
    list("addr a address").includes(
      words
        .filter((word) => !IP_FLAGS.test(word))
        .join(" ")
        .replace(/ (show|list)$/, ""),
    ),
  ifconfig: only("", "-a"),
  jq,
  locale: options("acmk"),
  ls: anything,
  lsof: without("D"),
  // `man -k` passes its words on to another program.
  man: (words) => unended(options("akfw"))(words) && !words.some((word) => word.includes("/")),
  md5sum: checksum,
  netstat: anything,
  nl: anything,
  node: only("--version", "-v"),
  nproc: anything,
  numfmt: anything,
  od: anything,
  paste: anything,
  pgrep: options("0-9aflnouvxcPUu"),
  pr: anything,
  printf,
  ps,
  pwd: options("LP"),
  python: only("--version", "-V"),
  python3: only("--version", "-V"),
  readlink: anything,
  realpath: anything,
  rev: anything,
  rg,
  sed,
  seq: anything,
  // What scripts start with. Other options change what later commands mean.
  set: (words) => /^(-[eux]+|-[eux]*o pipefail)$/.test(words.join(" ")),
  sha1sum: checksum,
  sha256sum: checksum,
  sha512sum: checksum,
  shasum: checksum,
  sleep: anything,
  sort,
  ss: without("KDF", "--kill", "--diag", "--filter"),
  stat: anything,
  // `@list` is a file with further words.
  strings: (words) => !words.some((word) => word.startsWith("@")),
  tac: anything,
  tail: anything,
  test,
  // `init` and `reset` run the program that the description of the terminal names.
  tput: (words) => operands(1, options(""))(words) && !words.some((word) => /^(init|reset)$/.test(word)),
  tr: anything,
  tree: without("oR", "--output"),
  true: anything,
  type: anything,
  uname: anything,
  // It writes to its second operand.
  uniq: operands(1, options("0-9cduizDfsw", ...list("--count --repeated --unique --ignore-case --zero-terminated"))),
  uptime: anything,
  wc: without("", "--files0-from"),
  which: anything,
  whoami: anything,
  xxd,
};
