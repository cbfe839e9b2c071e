// git: its own options, those of its subcommands, and subcommands whose purpose is to run something.

import { inspectGitConfig } from "./git-config.ts";
import type { ProgramCall, ProgramOptionTable, Uncovered } from "../program-options.ts";
import { firstUncovered } from "../read-options.ts";

export const git: ProgramOptionTable = { read: readGit };

/** Options before the subcommand that take the next word. */
const TAKES = /^(-[Cc]|--(git-dir|work-tree|namespace|config-env|super-prefix|attr-source))$/;
/** `-c` sets any configuration; another exec path or git folder has its own programs. */
const RUNS = /^(-c|--config-env|--exec-path=|--git-dir(?!=\.git$))/;
/** Where git works: must be inside the working directories. */
const PLACE = /^(?:-C|--work-tree)(?:=(.*))?$/s;

function readGit(call: ProgramCall): Uncovered | undefined {
  const { words, start, agreed } = call;
  let at = start;
  for (; at < words.length && words[at]!.value.startsWith("-"); at++) {
    const word = words[at]!;
    const next = words[at + 1];
    const place = PLACE.exec(word.value);
    const folder = place?.[1] === undefined ? next : { ...word, value: place[1] };
    const isDefault = word.value === "--git-dir" && next?.value === ".git";
    if (at >= agreed) {
      if (word.kind === "glob") return { word, why: "pattern" };
      if (RUNS.test(word.value) && !isDefault) return { word, why: "option" };
      if (place && folder && !call.isInside(folder)) return { word: folder, why: "file" };
    }
    if (TAKES.test(word.value)) at++;
  }
  const subcommand = words[at];
  if (subcommand === undefined) return call.fed ? { word: words[start - 1]!, why: "fed" } : undefined;
  if (subcommand.kind === "glob") return { word: subcommand, why: "pattern" };
  const name = subcommand.value;
  const helper = words.find((word, index) => index >= agreed && index > at && REMOTE_HELPER.test(word.value));
  if (helper) return { word: helper, why: "option" };
  if (at >= agreed && WHOLE.has(name)) return { word: subcommand, why: "option" };
  const options = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name]! : FILES.has(name) ? withoutHarm : anySubcommand;
  return firstUncovered(options, { ...call, start: at + 1 });
}

/** `ext::sh -c …` is an address that runs a command. */
const REMOTE_HELPER = /(^|=)(ext|fd)::/;

/** No subcommand has a harmless option by these names. */
const COMMON =
  "output ext-diff textconv upload-pack receive-pack exec extcmd open-files-in-pager separate-git-dir index-output unsafe-paths build-fake-ancestor export-marks smtp-server sendmail-cmd to-cmd cc-cmd header-cmd authors-prog access-hook httpd browser";

/** Each is the beginning of one of those. */
const PLAIN = "author cc index text";

/** They have none of those options, so `git add *.ts` cannot turn into one. */
const FILES = new Set(
  "add check-attr check-ignore checkout clean ls-files mv reset restore rm status switch update-index".split(" "),
);

/** They run what they are given, serve others, or print passwords. */
const WHOLE = new Set(
  "archimport citool credential credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon difftool--helper filter-branch filter-repo for-each-repo gui hook http-backend instaweb mergetool--lib merge-index p4 receive-pack remote-ext remote-fd send-email shell svn upload-archive upload-pack web--browse".split(
    " ",
  ),
);

const STRATEGY = /^(ort|recursive|resolve|octopus|ours|subtree)$/;
/** Any other strategy is a program `git-merge-NAME`. */
const picking: ProgramOptionTable = {
  long: "strategy",
  plain: "strategy-option",
  values: { s: STRATEGY, strategy: STRATEGY },
};
const merging: ProgramOptionTable = { ...picking, short: "s", valued: "mXS", files: "F file" };
const saving: ProgramOptionTable = { valued: "osv", files: "o output-directory" };
/** A message from a file becomes part of the history, which anyone may read. */
const describing: ProgramOptionTable = { valued: "mCcun", files: "F file" };
/** Files that git reads and writes, in the repository or not. */
const anyFiles: ProgramOptionTable = { files: "o", opens: true };
/** Of a list that is not one, git prints what it does not understand. */
const LISTED = "pathspec-from-file";
const WHOLE_COMMAND: ProgramOptionTable = { whole: true };

/** `git grep --no-index x /etc` searches any folder; without it, a path outside the repository is an error. */
function searchesOutside({ words, start, isInside }: ProgramCall): number | undefined {
  if (!words.some(({ value }) => /^--no-i[a-z]*$/.test(value))) return undefined;
  const outside = words.findIndex((word, at) => at >= start && !word.value.startsWith("-") && !isInside(word));
  return outside < 0 ? undefined : outside;
}

/** They pass their words on without the `--`: `git stash list -- --output=x` writes x. */
function optionPassedOn({ words, start }: ProgramCall): number | undefined {
  const end = words.findIndex(({ value }, at) => at >= start && value === "--");
  const option = end < 0 ? -1 : words.findIndex(({ value }, at) => at > end && value.startsWith("-"));
  return option < 0 ? undefined : option;
}

const OWN: Readonly<Record<string, ProgramOptionTable>> = {
  archive: { long: "remote", files: "o output add-file", valued: "N" },
  annotate: { files: "contents ignore-revs-file" },
  blame: { files: "contents ignore-revs-file" },
  // Older versions evaluate the lines of a log.
  bisect: { commands: { run: WHOLE_COMMAND, replay: WHOLE_COMMAND } },
  bugreport: saving,
  bundle: { opens: true },
  "cherry-pick": picking,
  clone: { short: "cu", long: "template config", valued: "job" },
  commit: { valued: "mCcuS", files: `F file t template ${LISTED}`, harmless: true },
  "commit-graph": { files: "object-dir" },
  "commit-tree": { valued: "mpS", files: "F" },
  config: { inspect: inspectGitConfig },
  // Outside a repository it compares any two files.
  diff: { opens: true, valued: "SGUOlIX" },
  "checkout-index": { files: "prefix" },
  diagnose: saving,
  difftool: { short: "xt", long: "tool", plain: "tool-help", valued: "USGLO" },
  "fast-import": { long: "export-marks import-marks import-marks-if-exists export-pack-edges" },
  "format-patch": { ...saving, plain: "to" },
  grep: { short: "O", valued: "ABCefm", inspect: searchesOutside },
  "hash-object": { opens: true, valued: "t" },
  help: { short: "w", long: "web" },
  init: { long: "template" },
  "index-pack": anyFiles,
  "interpret-trailers": { opens: true, takes: "trailer where if-exists if-missing" },
  mailinfo: anyFiles,
  mailsplit: { ...anyFiles, valued: "df" },
  maintenance: { commands: { register: WHOLE_COMMAND, start: WHOLE_COMMAND } },
  merge: merging,
  "merge-file": { opens: true, valued: "L", takes: "marker-size" },
  mergetool: { short: "tO", long: "tool", plain: "tool-help" },
  "multi-pack-index": { files: "object-dir" },
  notes: describing,
  "pack-objects": { opens: true, takes: "window depth threads" },
  pull: { ...merging, valued: "XSjo", files: "" },
  rebase: { ...merging, short: "sx", valued: "CXS", files: "" },
  reflog: { inspect: optionPassedOn },
  revert: picking,
  stash: { files: LISTED, harmless: true, inspect: optionPassedOn },
  tag: describing,
  submodule: { commands: { foreach: WHOLE_COMMAND } },
};

const anySubcommand: ProgramOptionTable = { long: COMMON, plain: PLAIN };
const withoutHarm: ProgramOptionTable = { ...anySubcommand, files: LISTED, harmless: true };

const SUBCOMMANDS: Readonly<Record<string, ProgramOptionTable>> = Object.fromEntries(
  Object.entries(OWN).map(([name, own]): [string, ProgramOptionTable] => [
    name,
    {
      ...own,
      long: own.long === undefined ? COMMON : `${COMMON} ${own.long}`,
      plain: own.plain === undefined ? PLAIN : `${PLAIN} ${own.plain}`,
    },
  ]),
);
