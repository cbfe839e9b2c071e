// `git config`: reading is covered, and so is setting keys that only change how git behaves or prints. Most others name
// a program (pagers, editors, helpers, filters, hooks, aliases) or send data elsewhere.

import type { Word } from "../command/word.ts";

const READS = /^(--get(-all|-regexp|-urlmatch|-color|-colorbool)?|--list|-l|get|list)$/;
/** `--file` and `--blob` name another file; `--global` and `--system` are not this repository's. */
const ELSEWHERE = /^(-f|--fi|--bl|--glob|--sy|-e|--ed|--rename|--remove)/;

const SAFE_KEYS = [
  /^(user|author|committer)\.(name|email|useconfigonly)$/,
  /^(advice|color|column|gc|index|log|pack|push|rerere|status|transfer|versionsort)\.[\w.-]+$/,
  /^branch\.[^=]+\.(remote|merge|rebase|pushremote|description)$/,
  /^(branch|checkout|fetch|init|pull|rebase|stash|submodule|tag)\.(autosetup(merge|rebase)|default(branch|remote)|sort|guess|workers|prune(tags)?|parallel|all|ff|rebase|auto(squash|stash)|updaterefs|missingcommitscheck|show\w+|recurse|fetchjobs|gpgsign)$/,
  /^(commit|merge)\.(verbose|status|cleanup|gpgsign|conflictstyle|ff|stat|log|renames|renamelimit|autostash)$/,
  /^core\.(abbrev|autocrlf|bigfilethreshold|commentchar|compression|eol|filemode|ignorecase|logallrefupdates|longpaths|precomposeunicode|preloadindex|protecthfs|quotepath|safecrlf|splitindex|symlinks|untrackedcache|whitespace)$/,
  /^diff\.(algorithm|colormoved\w*|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|renames|renamelimit|statgraphwidth|submodule|suppressblankempty|wserrorhighlight)$/,
  /^remote\.[^=]+\.(url|pushurl|fetch|push|prune|prunetags|tagopt)$/,
  /^http\.(postbuffer|lowspeed(limit|time)|version)$/,
];

export function inspectGitConfig(words: readonly Word[], start: number): number | undefined {
  const given = words.slice(start);
  const elsewhere = given.findIndex(({ value }) => ELSEWHERE.test(value));
  const isReading = given.some(({ value }) => READS.test(value));
  if (isReading && (elsewhere < 0 || /^--(glob|sy)/.test(given[elsewhere]!.value))) return undefined;
  if (elsewhere >= 0) return start + elsewhere;
  const operands = given.flatMap(({ value }, at) =>
    value.startsWith("-") || value === "set" || value === "unset" ? [] : [at],
  );
  const [key] = operands;
  // With one word, the value is printed.
  if (key === undefined || (operands.length === 1 && given.every(({ value }) => !/^(--unset|unset)/.test(value))))
    return undefined;
  const name = given[key]!.value.toLowerCase();
  return SAFE_KEYS.some((safe) => safe.test(name)) ? undefined : start + key;
}
