// A rough parser that lists the programs a command runs. Good enough to describe a result, never to decide a
// permission. Returns null for anything it does not clearly understand.

export interface CommandList {
  /** Statements in order; each is a list of pipelines joined by `&&`; each pipeline is a list of program names. */
  readonly statements: readonly (readonly (readonly string[])[])[];
}

export function simpleCommands(command: string): CommandList | null {
  const statements: string[][][] = [[[]]];
  let words: string[] = [];
  let word = "";
  let inWord = false;

  const endWord = () => {
    if (inWord) words.push(word);
    word = "";
    inWord = false;
  };
  const endCommand = () => {
    endWord();
    const name = programOf(words);
    words = [];
    if (name !== null) statements.at(-1)!.at(-1)!.push(name);
  };

  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    const next = command[at + 1];
    if (char === "'" || char === '"') {
      const end = closingQuote(command, at);
      if (end === -1) return null;
      const inside = command.slice(at + 1, end);
      if (char === '"' && /[`]|\$\(/.test(inside)) return null;
      word += inside;
      inWord = true;
      at = end;
    } else if (char === "\\") {
      word += next ?? "";
      inWord = true;
      at++;
    } else if ("(){}`".includes(char) || (char === "<" && next === "<") || (char === "#" && !inWord)) {
      return null;
    } else if (char === "&" && (next === ">" || command[at - 1] === ">" || command[at - 1] === "<")) {
      word += char; // part of a redirection
      inWord = true;
    } else if (char === "&" && next === "&") {
      endCommand();
      statements.at(-1)!.push([]);
      at++;
    } else if (char === "|" && next !== "|") {
      endCommand();
      if (next === "&") at++;
    } else if (char === ";" || char === "\n" || char === "&" || char === "|") {
      endCommand();
      statements.push([[]]);
      if (char === "|") at++;
    } else if (char === " " || char === "\t") {
      endWord();
    } else {
      word += char;
      inWord = true;
    }
  }
  endCommand();

  const filled = statements.filter((chain) => chain.some((pipeline) => pipeline.length > 0));
  const isPlain = filled.every((chain) => chain.flat().every((name) => !KEYWORDS.has(name)));
  return isPlain ? { statements: filled } : null;
}

function closingQuote(command: string, open: number): number {
  if (command[open] === "'") return command.indexOf("'", open + 1);
  for (let at = open + 1; at < command.length; at++) {
    if (command[at] === "\\") at++;
    else if (command[at] === '"') return at;
  }
  return -1;
}

/** The base name of the program, after any assignments. */
function programOf(words: readonly string[]): string | null {
  const name = words.find((word) => !/^[A-Za-z_]\w*=/.test(word));
  return name === undefined ? null : name.slice(name.lastIndexOf("/") + 1);
}

const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac select function time coproc ! [[ eval exec".split(" "),
);
