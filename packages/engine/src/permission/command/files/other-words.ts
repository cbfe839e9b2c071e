// Which words of well-known programs are not files, whatever files have these names: the task of `npm run build`, the
// subcommand of `cargo build`, the branch of `git push origin build`, a message, a name that a search leaves out. A deny
// rule for the folder `build` is not about them. After an option that is not known here, every word may be a file.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../analysis/command.ts";
import { isRuling } from "../analysis/variables.ts";
import { textValues, upToEnd } from "./text-values.ts";
import type { Word } from "../analysis/word.ts";

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** The first operand is a subcommand. */
const COMMANDED = setOf(
  "apt brew bun bundle cargo composer conda dart deno docker dotnet firebase flutter fly gcloud gem gh git go helm heroku hg just kubectl lerna mix ng npm pip pip3 pipenv pm2 pnpm podman poetry rails rustup sbt svn swift terraform uv vercel wrangler yarn zig",
);

/** These run, print or send a file or folder instead if no subcommand has the name. */
const SCRIPTED: Readonly<Record<string, ReadonlySet<string>>> = {
  bun: setOf("add build i install outdated pm publish remove run test update upgrade"),
  dart: setOf("analyze build compile create doc fix format pub run test"),
  deno: setOf(
    "add bench bundle cache check compile coverage doc fmt info init install lint outdated publish remove run serve task test",
  ),
  swift: setOf("build format package run test"),
  vercel: setOf("build deploy dev env link logs project promote pull redeploy remove rollback"),
};

/** All operands are tasks, targets or units. */
const TASKS = setOf("ant gmake gradle gradlew make mvn mvnw ninja nx rake systemctl task turbo");

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

/** Never a path as people write one. `npm install file:x` installs the folder x. */
const NAME = /^[A-Za-z][\w@:+-]*$/;
const PACKAGE = /^[A-Za-z][\w@+-]*$/;
const BRANCH = /^[A-Za-z][\w./+-]*$/;

/** The words that are not files, also those of the one command that it starts. */
export function otherWords({ words, runs, within, assignments }: SimpleCommand): ReadonlySet<Word> {
  const [program, ...rest] = words;
  const name = program && usualProgram(program.value);
  // A function, an alias or another PATH may make `make x` print the file x.
  if (name === undefined || within.includes("function") || assignments.some(isRuling)) return new Set();
  const own = ownWords(name, rest);
  const found = new Set(program!.value.startsWith("./") ? own.filter(({ value }) => VERBS.has(value)) : own);
  const inner = runs.map((each) => ({ words: new Set(each.words), others: otherWords(each) }));
  for (const { others } of inner) {
    for (const word of others)
      if (inner.every((each) => !each.words.has(word) || each.others.has(word))) found.add(word);
  }
  return found;
}

/** Undefined for a program in some folder: `./make` need not be make, and even `./gradlew` is only trusted with usual tasks. */
function usualProgram(program: string): string | undefined {
  const isUsual = /^(?:\/(?:usr\/(?:local\/)?|opt\/homebrew\/)?bin\/)?[^/]+$|^(?:\.\/)?(?:gradlew|mvnw)$/.test(program);
  return isUsual ? basename(program) : undefined;
}

function ownWords(name: string, words: readonly Word[]): readonly Word[] {
  const texts = textValues(name, operandsOf(name, words)[0]?.value, words);
  return [...names(name, words), ...texts].filter(({ kind }) => kind === "literal");
}

function names(name: string, words: readonly Word[]): readonly Word[] {
  if (/^python[\d.]*$/.test(name) && words[0]?.value === "-m") return words.slice(1, 2);
  const operands = operandsOf(name, words);
  const [first, second] = operands;
  if (name === "npx")
    return first === undefined || first.value === name
      ? []
      : ownWords(first.value, words.slice(words.indexOf(first) + 1));
  if (first === undefined || !NAME.test(first.value)) return [];
  // `nx exec cat x`, `systemctl link x`
  if (TASKS.has(name)) return /^(?:exec|link)$/.test(first.value) ? [first] : operands.filter(isName);
  if (Object.hasOwn(SCRIPTED, name) && !SCRIPTED[name]!.has(first.value)) return [];
  if (BUILDERS.has(name)) return VERBS.has(first.value) ? [first] : [];
  if (name === "git")
    return [
      first,
      ...leftOut(first.value, words),
      ...branches(first.value, operands.slice(1), words.slice(words.indexOf(first))),
    ];
  const own = COMMANDED.has(name) ? [first] : [];
  if (name === "yarn" && first.value === "workspace") return [first, ...operands.slice(1, 3).filter(isName)];
  if (INSTALLERS.has(name) && INSTALLS.has(first.value)) return [first, ...operands.slice(1).filter(isPackage)];
  const isGroup = Object.hasOwn(GROUPS, name) && GROUPS[name]!.has(first.value);
  return isGroup && second !== undefined && (name === "bun" ? isScript : isName)(second) ? [...own, second] : own;
}

const STAGES = setOf("add commit stash status");
const LEFT_OUT = /^:(?:\((?:top,)?exclude(?:,top)?\)|[!^])/;

/** What git leaves out when it looks for changes: `git add -A -- . ':!dist'`. */
function leftOut(subcommand: string, words: readonly Word[]): readonly Word[] {
  const end = words.findIndex(({ value }) => value === "--");
  if (end < 0 || !STAGES.has(subcommand)) return [];
  return words.slice(end + 1).filter(({ value }) => LEFT_OUT.test(value));
}

const isName = ({ value }: Word) => NAME.test(value);
const isPackage = ({ value }: Word) => PACKAGE.test(value);

/** `bun run x` runs the file x if no script has the name, and prints its lines if it is no program. */
const isScript = ({ value }: Word) => VERBS.has(value) || (value.includes(":") && NAME.test(value));

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
  const made = upToEnd(words).filter((_, at, all) => /^-[bBcC]$/.test(all[at - 1]?.value ?? ""));
  if (/^(?:checkout|switch)$/.test(subcommand) && made.length > 0) return made.filter(isBranch);
  if (/^(?:push|pull|fetch)$/.test(subcommand)) return operands.slice(1).filter(isBranch);
  return /^(?:branch|merge|rebase|switch|tag)$/.test(subcommand) ? operands.filter(isBranch) : [];
}

const isBranch = ({ value }: Word) => BRANCH.test(value);
