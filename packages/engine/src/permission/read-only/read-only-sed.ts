// Which sed scripts only print. Commands that write, read another file or run a command are not listed.

/** Addresses, `p`, `=`, `d`, `q` and `s///` without `e` or `w`. */
const SED_COMMAND =
  /^((\d+|\$|\/[^/\\\n]*\/)(,(\+?\d+|\$|\/[^/\\\n]*\/))?!?)?([pd=q]|s([/|#,:@])(?:(?!\6)[^\\\n]|\\[^\n])*\6(?:(?!\6)[^\\\n]|\\[^\n])*\6[gpiI0-9]*)?$/;

/** In some versions of sed, a bracket can hide what would end the expression; in others it cannot. */
function hasDoubtfulBracket(script: string): boolean {
  // The colons of `[:space:]` only matter where a colon separates.
  const text = script.includes("s:") ? script : script.replace(/\[:[a-z]+:\]/g, "a");
  return text.split("]").some((part) => part.includes("[") && /[/|#,:@;\n]/.test(part.slice(part.indexOf("["))));
}

export function isSafeSedScript(script: string): boolean {
  return !hasDoubtfulBracket(script) && script.split(/;|\n/).every((part) => SED_COMMAND.test(part.trim()));
}

/** The script is the first operand or follows `-e`; options may only change how sed reads and prints. */
export function sed(words: readonly string[]): boolean {
  const scripts: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (/^(-[nErsuz]*e|--expression)$/.test(word)) {
      const script = words[++at];
      if (script === undefined) return false;
      scripts.push(script);
    } else if (word.startsWith("--expression=")) scripts.push(word.slice("--expression=".length));
    else if (/^(-[nErsuz]+|--quiet|--silent|--regexp-extended)$/.test(word)) continue;
    else if (word.startsWith("-") && word !== "-") return false;
    else operands.push(word);
  }
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1));
  return scripts.length > 0 && scripts.every((script) => script !== "" && isSafeSedScript(script));
}
