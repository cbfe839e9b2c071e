// Finds what keeps a part of a command from being allowed, by removing things until the gate would allow it.

import type { SimpleCommand } from "../command/analysis/command.ts";
import type { Judge } from "./explain-command.ts";

interface Obstacle {
  readonly sentence: string;
  without(part: SimpleCommand): SimpleCommand;
}

/** Parts with more words are not tried word by word. */
const MOST_WORDS = 40;

/** One sentence each; empty if no simpler form of the part would be allowed either. */
export function obstaclesOf(part: SimpleCommand, judge: Judge): string[] {
  const may = (plainer: SimpleCommand) => judge([plainer]).verdict === "allow";
  const around = aroundIt(part);
  const bare = removeAll(part, around);
  if (around.length > 0 && may(bare)) {
    const needed = around.filter((each) => !may(removeAll(part, without(around, each))));
    return (needed.length > 0 ? needed : around).map(({ sentence }) => sentence);
  }
  return behindWrapper(bare, judge) ?? oneWord(bare, judge) ?? [];
}

/** Things about a part that keep rules from allowing it. */
function aroundIt(part: SimpleCommand): Obstacle[] {
  const found: Obstacle[] = [];
  const unknown = part.words.filter(({ kind }) => kind === "unknown");
  for (const { name } of part.assignments.slice(0, 5)) {
    found.push({
      sentence: `${name} is set before it, and may change what it does`,
      without: (from) => ({ ...from, assignments: from.assignments.filter((each) => each.name !== name) }),
    });
  }
  if (part.within.length > 0) {
    found.push({
      sentence: `allow rules do not apply inside ${WITHIN[part.within.at(-1)!]}`,
      without: (from) => ({ ...from, within: [] }),
    });
  }
  if (unknown.length > 0) {
    found.push({
      sentence: `${unknown.map(({ text }) => `\`${text}\``).join(", ")} could be anything`,
      without: (from) => {
        const words = from.words.map((word) => (word.kind === "unknown" ? PLAIN : word));
        return { ...from, words, text: textOf(words), opaque: false };
      },
    });
  } else if (part.opaque) {
    found.push({
      sentence: "it starts something the text does not show",
      without: (from) => ({ ...from, opaque: false }),
    });
  }
  for (const redirection of part.redirections.filter(({ kind }) => kind === "read" || kind === "write")) {
    const verb = redirection.kind === "read" ? "reads" : "writes to";
    found.push({
      sentence: `it ${verb} ${redirection.target.text || "something the text does not show"}`,
      without: (from) => ({ ...from, redirections: from.redirections.filter((each) => each !== redirection) }),
    });
  }
  return found;
}

const WITHIN: Readonly<Record<SimpleCommand["within"][number], string>> = {
  substitution: "a substitution",
  subshell: "a subshell",
  group: "a group",
  function: "a function",
  background: "a background job",
  coproc: "a coprocess",
  time: "a timed command",
  expansion: "an expansion that evaluates its content",
  shell: "shell text",
  printed: "a substitution",
};

const PLAIN = { kind: "literal", value: "x", text: "x" } as const;

function behindWrapper(part: SimpleCommand, judge: Judge): string[] | undefined {
  if (part.runs.length === 0 || judge(part.runs.map((inner) => ({ ...inner, within: [] }))).verdict !== "allow") {
    return undefined;
  }
  return [`what ${part.words[0]!.value} starts would be allowed on its own, but not through ${part.words[0]!.value}`];
}

/** The one word without which it would be allowed. */
function oneWord(part: SimpleCommand, judge: Judge): string[] | undefined {
  if (part.words.length > MOST_WORDS) return undefined;
  for (const [at, word] of part.words.entries()) {
    if (at === 0) continue;
    const words = part.words.filter((each) => each !== word);
    const answer = judge([{ ...part, words, text: textOf(words), runs: [], opaque: false }]);
    if (answer.verdict !== "allow") continue;
    return [`without \`${word.text}\` ${answer.rule ? `${answer.rule.text} would allow it` : "it would be allowed"}`];
  }
  return undefined;
}

const textOf = (words: SimpleCommand["words"]) => words.map(({ text }) => text).join(" ");
const without = <T>(list: readonly T[], item: T) => list.filter((each) => each !== item);
const removeAll = (part: SimpleCommand, obstacles: readonly Obstacle[]) =>
  obstacles.reduce((from, obstacle) => obstacle.without(from), part);
