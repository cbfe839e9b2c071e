// Programs that start others through a subcommand, as `uv run` and `git bisect run` do, and which words may be a
// command.

import type { Word } from "../analysis/word.ts";
import type { WrappedProgram } from "./wrapper.ts";

/** Programs with one subcommand that starts what follows it. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  asdf: /^exec$/,
  bundle: /^exec$/,
  conda: /^run$/,
  devbox: /^run$/,
  doppler: /^run$/,
  dotenvx: /^run$/,
  guix: /^--$/,
  hatch: /^run$/,
  mamba: /^run$/,
  micromamba: /^run$/,
  mise: /^(exec|x)$/,
  nix: /^(-c|--command)$/,
  "nix-shell": /^--(run|command)$/,
  npm: /^(exec|x)$/,
  op: /^run$/,
  pdm: /^run$/,
  pipenv: /^run$/,
  pixi: /^run$/,
  pm2: /^start$/,
  pnpm: /^(exec|dlx)$/,
  poetry: /^run$/,
  pyenv: /^exec$/,
  rbenv: /^exec$/,
  rye: /^run$/,
  uv: /^run$/,
  volta: /^run$/,
  yarn: /^exec$/,
};

const MOST_READINGS = 200;
const NOTHING: WrappedProgram = { commands: [], scripts: [], transparent: false, opaque: false };

/** What comes right after the subcommand, or after its options, any of which may take a value. */
export function startedBySubcommand(name: string, words: readonly Word[]): WrappedProgram | undefined {
  const subcommand = Object.hasOwn(RUNNERS, name) ? RUNNERS[name]! : undefined;
  const at = subcommand === undefined ? -1 : words.findIndex(({ value }) => subcommand.test(value));
  if (at < 0 || at + 1 >= words.length) return undefined;
  const rest = words.slice(at + 1);
  const started = rest[0]!.value.startsWith("-") ? possibleCommands(rest) : { ...NOTHING, commands: [rest] };
  return { ...started, drafts: constantTexts(rest) };
}

/** Subcommands of git that start something, and aliases given with `-c`. */
export function startedByGit(words: readonly Word[]): WrappedProgram | undefined {
  const aliases = words.flatMap(({ value }, at) =>
    words[at - 1]?.value === "-c" ? (/^alias\.[^=]*=(.*)$/s.exec(value)?.slice(1) ?? []) : [],
  );
  const at = words.findIndex(({ value }) => /^(bisect|submodule|rebase)$/.test(value));
  const rest = at < 0 ? [] : words.slice(at + 1);
  const begin = rest.findIndex(({ value }) => /^(run|foreach|-x|--exec)$/.test(value)) + 1;
  const glued = rest.flatMap(({ value }) => /^--exec=(.*)$/s.exec(value)?.slice(1) ?? []);
  const inner = begin > 0 ? rest.slice(begin) : [];
  const texts = [...aliases.map((text) => (text.startsWith("!") ? text.slice(1) : `git ${text}`)), ...glued];
  if (inner.length + texts.length === 0) return undefined;
  return { ...(inner.length > 0 ? possibleCommands(inner) : NOTHING), drafts: [...texts, ...constantTexts(inner)] };
}

/** Every tail of the words that could be a command. */
export function possibleCommands(words: readonly Word[]): WrappedProgram {
  const commands = words.flatMap((word, at) => (word.value.startsWith("-") ? [] : [words.slice(at)]));
  const started = { commands, scripts: [], transparent: false, opaque: words.some(({ kind }) => kind === "unknown") };
  return commands.length > MOST_READINGS ? { ...started, commands: [], tooMany: true } : started;
}

/** `watch`, `ssh`, `su -c` and similar programs run words with spaces as command lines. */
export function constantTexts(words: readonly Word[]): string[] {
  return words.flatMap((word) => (word.kind === "literal" && /\s/.test(word.value) ? [word.value] : []));
}
