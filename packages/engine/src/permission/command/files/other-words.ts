// Which words of well-known programs are not files, whatever files have these names: the task of `npm run build`, the
// subcommand of `cargo build`, the branch of `git push origin build`, a message, a name that a search leaves out. A deny
// rule for the folder `build` is not about them. After an option that is not known here, every word may be a file.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import type { Word } from "../analysis/word.ts";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** The first operand is a subcommand. */
const COMMANDED = setOf(
  "apt brew bundle cargo composer conda dart deno docker dotnet firebase flutter fly gcloud gem gh git go helm heroku hg kubectl lerna mix ng npm pip pip3 pipenv pm2 pnpm podman poetry rails rustup sbt svn swift terraform uv vercel wrangler yarn zig",
);

/** These run a file instead if no subcommand has the name, and print its lines if it is no program. */
const SCRIPTED: Readonly<Record<string, ReadonlySet<string>>> = {
  dart: setOf("analyze build compile create doc fix format pub run test"),
  deno: setOf(
    "add bench bundle cache check compile coverage doc fmt info init install lint outdated publish remove run serve task test",
  ),
  swift: setOf("build format package run test"),
};

/** All operands are tasks, targets or units. */
const TASKS = setOf("ant gmake gradle gradlew just make mvn mvnw ninja nx rake systemctl task turbo");

/** The first operand is a folder, unless it is one of these. */
const BUILDERS = setOf(
  "astro docusaurus expo gatsby hexo hugo jekyll mkdocs next nuxi nuxt react-scripts remix storybook svelte-kit tauri vite vitepress vue-cli-service vuepress",
);
const VERBS = setOf("build check deploy dev export generate info lint preview serve start sync test watch");

const CONTAINERS = setOf("builder buildx compose container image network secret service stack swarm system volume");
const PACKAGES = setOf("run run-script");

/** After these subcommands, one more word is a name. */
const GROUPS: Readonly<Record<string, ReadonlySet<string>>> = {
  bun: PACKAGES,
  deno: setOf("task"),
  docker: CONTAINERS,
  gh: setOf("auth cache gist issue label pr project release repo run search secret variable workflow"),
  go: setOf("mod tool work"),
  kubectl: setOf("delete describe explain get"),
  lerna: PACKAGES,
  npm: PACKAGES,
  pnpm: PACKAGES,
  podman: CONTAINERS,
  yarn: PACKAGES,
};

/** After these, every operand is a package. */
const INSTALLERS = setOf("brew bun cargo composer gem npm pip pip3 pnpm poetry uv yarn");
const INSTALLS = setOf("add i install remove uninstall update upgrade");

/** Options without a value before and between the operands. */
const FLAGS =
  /^(?:--?[A-Za-z][\w-]*=.*|-[A-Za-z]\d+|--(?:all|dev|dry-run|force|force-with-lease|global|if-present|keep-going|no-daemon|no-pager|offline|parallel|prune|quiet|recursive|release|save-dev|save-exact|set-upstream|silent|tags|upgrade|user|verbose|workspaces|yes))$/s;

/** By program: its own options without a value, and those whose value is the next word. */
const OPTIONS: Readonly<Record<string, { readonly flag?: RegExp; readonly valued?: RegExp }>> = {
  cargo: { flag: /^(?:\+[\w.-]+|-q)$/ },
  git: { flag: /^-[DPdfnpqu]$/, valued: /^(?:-C|-c|--git-dir|--work-tree)$/ },
  make: { flag: /^-[Biknqrsw]$/, valued: /^(?:-C|-f|-j|--directory|--file)$/ },
  mvn: { flag: /^-[BUoq]$/ },
  npm: { flag: /^-[DEgsy]$/, valued: /^(?:--prefix|--workspace)$/ },
  npx: { flag: /^-y$/ },
  pip: { flag: /^-[Uq]$/ },
  pnpm: { flag: /^-[DErw]$/, valued: /^(?:-C|-F|--dir|--filter)$/ },
  yarn: { flag: /^-[DE]$/, valued: /^(?:--cwd)$/ },
};

/** Never a path as people write one. */
const NAME = /^[A-Za-z@][\w@:+-]*$/;
const BRANCH = /^[A-Za-z][\w./+-]*$/;

/** The words that are not files, also those of the one command that it starts. */
export function otherWords({ words, runs }: SimpleCommand): ReadonlySet<Word> {
  const [program, ...rest] = words;
  const found = new Set(program === undefined ? [] : ownWords(basename(program.value), rest));
  const inner = runs.map((each) => ({ words: new Set(each.words), others: otherWords(each) }));
  for (const { others } of inner) {
    for (const word of others)
      if (inner.every((each) => !each.words.has(word) || each.others.has(word))) found.add(word);
  }
  return found;
}

function ownWords(name: string, words: readonly Word[]): readonly Word[] {
  return [...names(name, words), ...texts(name, words)].filter(({ kind }) => kind === "literal");
}

function names(name: string, words: readonly Word[]): readonly Word[] {
  if (/^python[\d.]*$/.test(name) && words[0]?.value === "-m") return words.slice(1, 2);
  const operands = operandsOf(name, words);
  const [first, second] = operands;
  if (name === "npx" && first !== undefined) return ownWords(first.value, words.slice(words.indexOf(first) + 1));
  if (first === undefined || !NAME.test(first.value)) return [];
  if (TASKS.has(name)) return operands.filter(({ value }) => NAME.test(value));
  if (Object.hasOwn(SCRIPTED, name) && !SCRIPTED[name]!.has(first.value)) return [];
  if (BUILDERS.has(name)) return VERBS.has(first.value) ? [first] : [];
  if (name === "git") return [first, ...branches(first.value, operands.slice(1), words)];
  const own = COMMANDED.has(name) || (name === "bun" && PACKAGES.has(first.value)) ? [first] : [];
  if (name === "yarn" && first.value === "workspace") return [first, ...operands.slice(1, 3).filter(isName)];
  if (INSTALLERS.has(name) && INSTALLS.has(first.value)) return [first, ...operands.slice(1).filter(isName)];
  const isGroup = Object.hasOwn(GROUPS, name) && GROUPS[name]!.has(first.value);
  return isGroup && second !== undefined && isName(second) ? [...own, second] : own;
}

const isName = ({ value }: Word) => NAME.test(value);

/** What is not an option or the value of one, up to an option that is not known. */
function operandsOf(name: string, words: readonly Word[]): readonly Word[] {
  const { flag, valued } = Object.hasOwn(OPTIONS, name) ? OPTIONS[name]! : {};
  const found: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!/^[-+]/.test(word.value) && word.kind === "literal") found.push(word);
    else if (valued?.test(word.value)) at++;
    else if (word.kind !== "literal" || !(FLAGS.test(word.value) || flag?.test(word.value))) break;
  }
  return found;
}

/** The first operand of `push`, `pull` and `fetch` may be the folder of a repository. */
function branches(subcommand: string, operands: readonly Word[], words: readonly Word[]): readonly Word[] {
  const made = words.filter((_, at) => /^-[bBcC]$/.test(words[at - 1]?.value ?? ""));
  if (/^(?:checkout|switch)$/.test(subcommand) && made.length > 0) return made.filter(isBranch);
  if (/^(?:push|pull|fetch)$/.test(subcommand)) return operands.slice(1).filter(isBranch);
  return /^(?:branch|merge|rebase|switch|tag)$/.test(subcommand) ? operands.filter(isBranch) : [];
}

const isBranch = ({ value }: Word) => BRANCH.test(value);

/** By program: options whose value is text or a name to leave out, alone and with the value in the same word. */
const TEXTS: readonly (readonly [program: RegExp, option: RegExp, glued: RegExp])[] = [
  [/^git$/, /^(?:-a?s?m|--message)$/, /^(?:-m.|--message=)/s],
  [/^gh$/, /^(?:-[tb]|--title|--body)$/, /^--(?:title|body)=/],
  [/^(?:[ef]?grep|rsync|du)$/, /^--exclude(?:-dir)?$/, /^--exclude(?:-dir)?=/],
  [/^(?:tar|zip)$/, /^(?!)/, /^--exclude=/],
  [/^rg$/, /^(?!)/, /^(?:-g|--glob=)!/],
  [/^tree$/, /^-I$/, /^(?!)/],
  [/^(?:eslint|stylelint)$/, /^--ignore-pattern$/, /^--ignore-pattern=/],
];

/** By program: letters of options without a value. After any other option, what looks like one may be its value. */
const SWITCHES: readonly (readonly [program: RegExp, switches: RegExp])[] = [
  [/^[ef]?grep$/, /^-[EFGHILPRUZabchilnoqrsvwxyz]+$/],
  [/^rsync$/, /^-[DHPRWacghlmnoprtuvxz]+$/],
  [/^du$/, /^-[0DHLPSabchklmsx]+$/],
  [/^tree$/, /^-[ACDFJNQRSXadfghilpqrstux]+$/],
  [/^gh$/, /^--(?:draft|fill|web)$/],
];

const MESSAGES = setOf("commit merge notes revert stash tag");

function texts(name: string, all: readonly Word[]): readonly Word[] {
  if (name === "find") return leftOut(all);
  // After `--`, what looks like an option is a file, and so is what looks like its value.
  const end = all.findIndex(({ value }) => value === "--");
  const words = end < 0 ? all : all.slice(0, end);
  // `git grep -m`, `git checkout -m`: not a message.
  if (name === "git" && !MESSAGES.has(operandsOf(name, words)[0]?.value ?? "")) return [];
  const own = TEXTS.filter(([program]) => program.test(name));
  const found: Word[] = [];
  for (const [at, word] of words.entries()) {
    const isValue =
      !found.includes(words[at - 1]!) && own.some(([, option]) => option.test(words[at - 1]?.value ?? ""));
    if (
      isValue
        ? name === "git" || isOption(name, words, at - 1, found)
        : own.some(([, , glued]) => glued.test(word.value))
    )
      found.push(word);
  }
  return found;
}

/** In `grep -v -e --exclude secrets`, the option is a pattern, and its value a file. */
function isOption(name: string, words: readonly Word[], at: number, found: readonly Word[]): boolean {
  const before = words[at - 1];
  if (before === undefined || found.includes(before) || !before.value.startsWith("-")) return true;
  return SWITCHES.some(([program, switches]) => program.test(name) && switches.test(before.value));
}

/** `find . -name node_modules -prune`, `find . -not -path './dist/*'`, where it only prints names. */
function leftOut(words: readonly Word[]): readonly Word[] {
  if (words.some(({ kind, value }) => kind === "unknown" || /^-(?:exec|ok|delete|f(?:ls|print))/.test(value)))
    return [];
  const isNot = (at: number) => /^(?:!|-not)$/.test(words[at]?.value ?? "");
  return words.filter(
    (_, at) =>
      /^-i?(?:name|path|wholename)$/.test(words[at - 1]?.value ?? "") &&
      (words[at + 1]?.value === "-prune" || (isNot(at - 2) && !isNot(at - 3))),
  );
}
