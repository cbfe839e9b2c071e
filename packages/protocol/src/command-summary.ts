// The description of a command in one line of /help.

/**
 * The first sentence: skills describe at length when the model should use them. Where the command comes from is said at the end
 * of its description, and stays.
 */
export function commandSummary(description: string): string {
  const origin = / \((?:user|project|replaces|\/)[^()]*\)$/.exec(description)?.[0] ?? "";
  const text = description.slice(0, description.length - origin.length);
  const [sentence = ""] = /^[\s\S]*?(?=[.:] |\n|$)/.exec(text) ?? [];
  return `${sentence.replace(/\.$/, "")}${origin}`;
}
