// Matches untrusted regular expressions in time proportional to pattern times text: it follows all paths through the
// pattern at once, character by character. It reports whether there is a match, never where.

import { parseRegex, type Edge, type Node } from "./regex-parse.ts";

export interface Regex {
  /** Undefined when unknown: the pattern has back references, or too few steps are left. */
  test(text: string, effort?: Effort): boolean | undefined;
  /** False if `test` returns undefined for every text. */
  readonly isReadable: boolean;
}

/** Steps that remain; shared by tests that belong together. */
export interface Effort {
  left: number;
}

/** About a fifth of a second. */
export const MOST_STEPS = 20_000_000;
const MOST_INSTRUCTIONS = 20_000;

/** Undefined if the source is not a regular expression. */
export function compileRegex(
  source: string,
  { unicode = false }: { readonly unicode?: boolean } = {},
): Regex | undefined {
  if (!isRegex(source, unicode ? "u" : "")) return undefined;
  const tree = parseRegex(source, { unicode });
  const program = tree && compile(tree);
  if (program === undefined) return { test: () => undefined, isReadable: false };
  return {
    test(text, effort = { left: MOST_STEPS }) {
      if ((effort.left -= program.size * (text.length + 1)) < 0) return undefined;
      const characters = unicode ? Array.from(text) : text.split("");
      return ends(program, characters).includes(1);
    },
    isReadable: true,
  };
}

/** Only checks the syntax; nothing is matched with it. */
function isRegex(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

type Instruction =
  | { readonly kind: "character"; readonly test: (character: string) => boolean }
  | { readonly kind: "fork"; readonly targets: readonly number[] }
  | { readonly kind: "edge"; readonly edge: Edge }
  | { readonly kind: "look"; readonly negated: boolean; readonly program: Program }
  | { readonly kind: "match" };

interface Program {
  readonly instructions: readonly Instruction[];
  /** Runs from the end of the text to its start, so one pass finds lookahead matches at every position. */
  readonly isBackward: boolean;
  /** Including the programs of its lookarounds. */
  readonly size: number;
}

/** Undefined if counted repetitions make it too large. */
function compile(tree: Node): Program | undefined {
  const budget = { left: MOST_INSTRUCTIONS };
  const program = assemble(tree, false, budget);
  return budget.left < 0 ? undefined : program;
}

function assemble(tree: Node, isBackward: boolean, budget: { left: number }): Program {
  const instructions: Instruction[] = [];
  let inner = 0;
  emit(tree);
  instructions.push({ kind: "match" });
  return { instructions, isBackward, size: instructions.length + inner };

  function emit(node: Node): void {
    if (--budget.left < 0) return;
    switch (node.kind) {
      case "character":
      case "edge":
        instructions.push(node);
        return;
      case "sequence":
        for (const item of isBackward ? node.items.toReversed() : node.items) emit(item);
        return;
      case "choice": {
        const fork = reserve();
        const starts: number[] = [];
        const jumps: number[] = [];
        for (const branch of node.branches) {
          starts.push(instructions.length);
          emit(branch);
          jumps.push(reserve());
        }
        instructions[fork] = { kind: "fork", targets: starts };
        for (const jump of jumps) instructions[jump] = { kind: "fork", targets: [instructions.length] };
        return;
      }
      case "repeat":
        repeat(node);
        return;
      case "look": {
        // A lookahead runs backward, from wherever it may end to here.
        const program = assemble(node.item, !node.behind, budget);
        inner += program.size;
        instructions.push({ kind: "look", negated: node.negated, program });
        return;
      }
    }
  }

  function repeat({ item, least, most }: Extract<Node, { kind: "repeat" }>): void {
    for (let count = 0; count < least && budget.left >= 0; count++) emit(item);
    if (most === Infinity) {
      const loop = reserve();
      emit(item);
      instructions.push({ kind: "fork", targets: [loop] });
      instructions[loop] = { kind: "fork", targets: [loop + 1, instructions.length] };
      return;
    }
    const exits: number[] = [];
    for (let count = least; count < most && budget.left >= 0; count++) {
      exits.push(reserve());
      emit(item);
    }
    for (const exit of exits) instructions[exit] = { kind: "fork", targets: [exit + 1, instructions.length] };
  }

  function reserve(): number {
    budget.left--;
    return instructions.push({ kind: "match" }) - 1;
  }
}

/** For each position between characters, 1 if a match ends there (for a backward program: begins there). */
function ends(program: Program, characters: readonly string[]): Uint8Array {
  const { instructions, isBackward } = program;
  const found = new Uint8Array(characters.length + 1);
  const looks = new Map<Program, Uint8Array>();
  const lastSeen = new Int32Array(instructions.length).fill(-1);
  let waiting: number[] = [];
  for (let step = 0; step <= characters.length; step++) {
    const place = isBackward ? characters.length - step : step;
    const next: number[] = [];
    const open: number[] = [];
    const reach = (target: number) => {
      if (lastSeen[target] === step) return;
      lastSeen[target] = step;
      open.push(target);
    };
    // A match may begin at every position.
    reach(0);
    for (const target of waiting) reach(target);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const instruction = instructions[at]!;
      if (instruction.kind === "match") found[place] = 1;
      else if (instruction.kind === "character") next.push(at);
      else if (instruction.kind === "fork") instruction.targets.forEach(reach);
      else if (holds(instruction, place, characters, looks)) reach(at + 1);
    }
    const character = characters[isBackward ? place - 1 : place];
    if (character === undefined) break;
    waiting = next.flatMap((at) => {
      const instruction = instructions[at]!;
      return instruction.kind === "character" && instruction.test(character) ? [at + 1] : [];
    });
  }
  return found;
}

function holds(
  instruction: Extract<Instruction, { kind: "edge" | "look" }>,
  place: number,
  characters: readonly string[],
  looks: Map<Program, Uint8Array>,
): boolean {
  if (instruction.kind === "look") {
    const { program, negated } = instruction;
    let found = looks.get(program);
    if (found === undefined) looks.set(program, (found = ends(program, characters)));
    return (found[place] === 1) !== negated;
  }
  switch (instruction.edge) {
    case "start":
      return place === 0;
    case "end":
      return place === characters.length;
    default: {
      const isEdge = isWord(characters[place - 1]) !== isWord(characters[place]);
      return isEdge === (instruction.edge === "word");
    }
  }
}

const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
