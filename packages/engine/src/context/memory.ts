// What the system prompt says about memory that outlasts a session: where it is and how it is kept.

/** The part of the system prompt for a session that has a memory folder. */
export function memoryPrompt(folder: string): string {
  return [
    "# Memory",
    `You keep notes for later sessions in ${folder}/ with the ordinary file tools; the folder is made by the first write. The head of its index, MEMORY.md, is shown to you when a session starts; read the other files when a line of the index says they matter.`,
    "",
    "One file holds one fact, and begins like this:",
    "",
    "```",
    "---",
    "name: short-name-with-dashes",
    "description: one line that tells whether the file is worth opening",
    "metadata:",
    "  type: user, feedback, project or reference",
    "---",
    "```",
    "",
    "- `user`: who the user is and how they like to work. `feedback`: what they corrected or confirmed, and why. `project`: goals, decisions and dates that the code does not show. `reference`: where to look outside the code.",
    "- For each file MEMORY.md has one line: `- [Title](file.md): what it is about`. Keep the index under 200 lines, and details out of it.",
    "- Point from one fact to another with `[[name]]`.",
    "- Before you write, look for a file that already says it and change that one. Correct or remove what turns out to be wrong.",
    "- Write down what will still be useful next time and cannot be read from the code, its history or the instruction files. Never write secrets.",
    "- A note is what was true when it was written. Check it against the code before you rely on it.",
  ].join("\n");
}
