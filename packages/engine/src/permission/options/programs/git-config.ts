// `git config`: a rule covers reading, and setting keys that only change how git behaves or prints. Most other keys
// name a program (pagers, editors, helpers, filters, hooks, aliases) or send data elsewhere.

import type { ProgramCall } from "../program-options.ts";

const READS = /^(--get(-all|-regexp|-urlmatch|-color|-colorbool)?|--list|-l)$/;
/** `--file` and `--blob` name another file; `--global` and `--system` do not belong to this repository. */
const ELSEWHERE = /^(-f|--fi|--bl|--glob|--sy|-e|--ed|--rename|--remove)/;

const SAFE_KEYS = [
  /^(user|author|committer)\.(name|email|useconfigonly)$/,
  /^gc\.(?!recentobjectshook$)[\w.-]+$/,
  /^(advice|color|column|index|log|pack|push|rerere|status|transfer|versionsort)\.[\w.-]+$/,
  /^branch\.[^=]+\.(remote|merge|rebase|pushremote|description)$/,
  /^(branch|checkout|fetch|init|pull|rebase|stash|submodule|tag)\.(autosetup(merge|rebase)|default(branch|remote)|sort|guess|workers|prune(tags)?|parallel|all|ff|rebase|auto(squash|stash)|updaterefs|missingcommitscheck|show\w+|recurse|fetchjobs|gpgsign)$/,
  /^(commit|merge)\.(verbose|status|cleanup|gpgsign|conflictstyle|ff|stat|log|renames|renamelimit|autostash)$/,
  /^core\.(abbrev|autocrlf|bigfilethreshold|commentchar|compression|eol|filemode|ignorecase|logallrefupdates|longpaths|precomposeunicode|preloadindex|protecthfs|quotepath|safecrlf|splitindex|symlinks|untrackedcache|whitespace)$/,
  /^diff\.(algorithm|colormoved\w*|context|indentheuristic|interhunkcontext|mnemonicprefix|noprefix|renames|renamelimit|statgraphwidth|submodule|suppressblankempty|wserrorhighlight)$/,
  /^remote\.[^=]+\.(url|pushurl|fetch|push|prune|prunetags|tagopt)$/,
  /^http\.(postbuffer|lowspeed(limit|time)|version)$/,
];

export function inspectGitConfig({ words, start, agreed }: ProgramCall): number | undefined {
  // Options come before the key; what follows it is the value, whatever it starts with.
  const options: number[] = [];
  let at = start;
  const skipOptions = () => {
    for (; at < words.length && words[at]!.value.startsWith("-"); at++) {
      if (words[at]!.value === "--") return void at++;
      options.push(at);
    }
  };
  skipOptions();
  // Newer versions put the action first: `git config set user.name x`.
  const action = /^(get|list|set|unset)$/.exec(words[at]?.value ?? "")?.[0];
  if (action !== undefined) {
    at++;
    skipOptions();
  }
  const key = at < words.length ? at : undefined;
  const hasValue = at + 1 < words.length;

  const elsewhere = options.filter((each) => each >= agreed && ELSEWHERE.test(words[each]!.value));
  if (options.some((each) => READS.test(words[each]!.value)) || action === "get" || action === "list")
    return elsewhere.find((each) => !/^--(glob|sy)/.test(words[each]!.value));
  if (elsewhere.length > 0) return elsewhere[0];
  const removes = action === "unset" || options.some((each) => words[each]!.value.startsWith("--unset"));
  // With only a key, git prints its value.
  if (key === undefined || (!hasValue && !removes)) return undefined;
  return SAFE_KEYS.some((safe) => safe.test(words[key]!.value.toLowerCase())) ? undefined : key;
}
