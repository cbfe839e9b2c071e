// Splits a command line where a shell would, to show its parts. For reading only: nothing is decided here, and whatever
// is not plain is not split.

const PLAIN_WORDS =
  /^(if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|time|\{|\}|\[\[|!)(\s|$)/;
/** No one reads the parts of a longer one. */
const LONGEST = 10_000;
const OPERATOR = /^(&&|\|\||\|&|;|\||&|\n)/;

/** Empty if there are not several, if each has a line of its own anyway, or if it is not known where they end. */
export function commandParts(command: string): readonly string[] {
  if (command.length > LONGEST) return [];
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < command.length;) {
    const piece = quotedAt(command, at);
    if (piece === undefined) return [];
    if (piece !== "") {
      part += piece;
      at += piece.length;
      continue;
    }
    const rest = command.slice(at, at + 2);
    const last = part === "" ? "" : command[at - 1]!;
    const redirects = last === "<" || last === ">" || rest === "&>";
    const [operator] = redirects ? [] : (OPERATOR.exec(rest) ?? []);
    if (operator === undefined) {
      if (/^[()`]|^<</.test(rest) || (rest[0] === "#" && last.trim() === "")) return [];
      part += command[at++];
      continue;
    }
    if (command.startsWith(";;", at)) return [];
    parts.push(part.trim());
    part = "";
    at += operator.length;
  }
  parts.push(part.trim());
  const filled = parts.filter((each) => each !== "");
  const lines = command.split("\n").filter((line) => line.trim() !== "").length;
  return filled.length < 2 || filled.length === lines || filled.some((each) => PLAIN_WORDS.test(each)) ? [] : filled;
}

/** The quoted or escaped text that begins here, or "". Undefined if it has no end, or runs commands of its own. */
function quotedAt(command: string, at: number): string | undefined {
  const character = command[at]!;
  if (character === "\\") return command.slice(at, at + 2);
  if (character === "$") return /^\$[('"]/.test(command.slice(at, at + 2)) ? undefined : "$";
  if (character === "'") {
    const end = command.indexOf("'", at + 1);
    return end < 0 ? undefined : command.slice(at, end + 1);
  }
  if (character !== '"') return "";
  for (let end = at + 1; end < command.length; end++) {
    if (command[end] === "\\") end++;
    else if (command[end] === '"') return command.slice(at, end + 1);
    else if (command[end] === "`" || command.startsWith("$(", end)) return undefined;
  }
  return undefined;
}

/** Whether a suggested rule is about this part, so that it is one that needs approval. */
export function isCovered(part: string, ruleContent: string): boolean {
  if (!ruleContent.endsWith(" *")) return part === ruleContent;
  const prefix = ruleContent.slice(0, -2);
  return part === prefix || part.startsWith(`${prefix} `);
}
