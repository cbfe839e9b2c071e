// Which commands destroy what cannot be had back: a forced push, a recursive removal, a hard reset. For marking the word that
// says so, and for offering no rule that covers more. What may run is decided elsewhere.

/**
 * The place of the word that makes a command destructive, the program being the first word; undefined if it is none. Words are
 * without quotes.
 */
export function destructiveWord(words: readonly string[]): number | undefined {
  const [path = "", ...rest] = words;
  const program = path.slice(path.lastIndexOf("/") + 1);
  if (/^mkfs(\.|$)/.test(program) || ALWAYS.has(program)) return 0;
  const forms = Object.hasOwn(FORMS, program) ? FORMS[program]! : [];
  const from = program === "git" ? afterOptions(rest) : 0;
  for (const { sub = [], word } of forms) {
    if (!sub.every((each, at) => rest[from + at] === each)) continue;
    // The subcommand alone destroys.
    if (word === undefined) return from + sub.length;
    const found = rest.findIndex((each, at) => at >= from + sub.length && word.test(each));
    if (found >= 0) return found + 1;
  }
  return undefined;
}

/** The options of git itself that stand before the subcommand. */
function afterOptions(words: readonly string[]): number {
  let at = 0;
  while (words[at]?.startsWith("-")) at += /^(-C|-c|--git-dir|--work-tree|--namespace)$/.test(words[at]!) ? 2 : 1;
  return at;
}

interface Form {
  readonly sub?: readonly string[];
  readonly word?: RegExp;
}

const ALWAYS: ReadonlySet<string> = new Set(["shred", "wipefs", "dropdb", "truncate"]);

const FORCE = /^(-[a-zA-Z]*f[a-zA-Z]*|--force)$/;
const YES_DELETES = /^(-[a-zA-Z]*[dD][a-zA-Z]*|--delete)$/;

const REMOVALS = (...subs: readonly string[]): readonly Form[] => subs.map((each) => ({ sub: each.split(" ") }));

const FORMS: Readonly<Record<string, readonly Form[]>> = {
  rm: [{ word: /^(-[a-zA-Z]*[rRf][a-zA-Z]*|--recursive|--force)$/ }],
  dd: [{ word: /^of=/ }],
  find: [{ word: /^-delete$/ }],
  git: [
    {
      sub: ["push"],
      word: /^(-[a-zA-Z]*[fd][a-zA-Z]*|--force(-with-lease|-if-includes)?(=.*)?|--delete|--mirror|--prune|\+.+|:.+)$/,
    },
    { sub: ["reset"], word: /^--(hard|merge|keep)$/ },
    { sub: ["clean"], word: FORCE },
    { sub: ["checkout"], word: /^(-f|--force|--|\.)$/ },
    { sub: ["switch"], word: /^(-f|--force|--discard-changes|-C|--force-create)$/ },
    { sub: ["restore"] },
    { sub: ["branch"], word: YES_DELETES },
    { sub: ["tag"], word: /^(-d|--delete|-f|--force)$/ },
    { sub: ["remote", "remove"] },
    { sub: ["worktree", "remove"] },
    ...REMOVALS("stash drop", "stash clear", "reflog expire", "filter-branch", "gc"),
  ],
  docker: REMOVALS(
    "rm",
    "rmi",
    "system prune",
    "volume rm",
    "volume prune",
    "image rm",
    "image prune",
    "container rm",
    "container prune",
    "network rm",
    "compose down",
  ),
  podman: REMOVALS("rm", "rmi", "system prune", "volume rm", "volume prune", "compose down"),
  kubectl: REMOVALS("delete", "drain"),
  helm: REMOVALS("uninstall", "delete"),
  terraform: [...REMOVALS("destroy"), { sub: ["apply"], word: /^-{1,2}(auto-approve|destroy)/ }],
  gh: REMOVALS("repo delete", "release delete", "issue delete", "run delete", "workflow disable"),
  aws: [{ word: /^(rm|rb|--delete|delete-.+|terminate-.+)$/ }],
  gcloud: [{ word: /^delete$/ }],
  npm: REMOVALS("unpublish"),
  cargo: REMOVALS("yank"),
  apt: REMOVALS("remove", "purge", "autoremove"),
  brew: REMOVALS("uninstall", "remove"),
  systemctl: REMOVALS("disable", "mask", "poweroff", "reboot"),
};
