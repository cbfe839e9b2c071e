// The sentences of the offline model.

export const ABOUT =
  "I am Keelson's built-in offline model, not a language model: I follow simple instructions by fixed rules, using the real tools.";

const EXAMPLES = [
  "list the files in src",
  "find files named config.ts",
  'search for "TODO" in src',
  "read README.md",
  "show lines 10-20 of src/main.ts",
  "run `npm test`",
  'create a file notes.txt with the content "hello"',
  'append "one more line" to notes.txt',
  'replace "old" with "new" in notes.txt',
  "summarise this repository",
];

export function abilities(): string {
  return [
    ABOUT,
    "",
    "What I can do:",
    ...EXAMPLES.map((example) => `- ${example}`),
    "",
    'Steps joined by "then" are done in order. For anything else, choose a language model: /login at a terminal, or "keelson auth login" in a shell.',
  ].join("\n");
}

export function unclear(source: string): string {
  const shown = source.length > 120 ? `${source.slice(0, 120)}…` : source;
  return `I do not know how to do this: "${shown}"\n\n${abilities()}`;
}

/** For a shell command that the user ran with `!`. */
export function seen(command: string): string {
  return `You ran ${command.includes("`") ? command : `\`${command}\``}. I have seen what it printed.`;
}

export function noSchema(): string {
  return `${ABOUT}\n\nI cannot fill in a JSON schema. Run "keelson auth login" for a language model, or leave out --json-schema.`;
}

export function missing(tool: string): string {
  return `This needs the ${tool} tool, which is not available here, so I stopped. Allow it (--tools) and ask again.`;
}

export function toolFailure(tool: string, said: string): string {
  return `${tool} failed, so I stopped here. It said:\n\n${fenced(unwrapped(said))}`;
}

export function leftUndone(sources: readonly string[]): string {
  return `Not done: ${sources.map((source) => `"${source}"`).join(", ")}`;
}

/** The text in a fence longer than any fence inside it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The start of a long text, and its full length. */
export function headOf(text: string, maxLines = 200, maxLength = 12_000): string {
  const head = text.slice(0, maxLength);
  const all = head.split("\n");
  if (all.length <= maxLines && head.length === text.length) return text;
  return `${all.slice(0, maxLines).join("\n")}\n… (cut here; the full result has ${text.length} characters)`;
}

function unwrapped(said: string): string {
  return headOf(said.replace(/^<tool_use_error>|<\/tool_use_error>$/g, ""), 40, 4_000);
}
