// The part of the system prompt about memory that outlasts a session: where it is and how to keep it.

export function memoryPrompt(folder: string): string {
  return [
    "# Memory",
    `Keep notes for later sessions in ${folder}/ with the normal file tools; the first write creates the folder. The start of its index, MEMORY.md, is shown to you at the start of a session; read the other files when a line of the index says they matter.`,
    "",
    "Each file holds one fact and starts like this:",
    "",
    "```",
    "---",
    "name: short-name-with-dashes",
    "description: one line that says whether the file is worth opening",
    "metadata:",
    "  type: user, feedback, project or reference",
    "---",
    "```",
    "",
    "- `user`: who the user is and how they like to work. `feedback`: what they corrected or confirmed, and why. `project`: goals, decisions and dates that are not in the code. `reference`: where to look outside the code.",
    "- MEMORY.md has one line per file: `- [Title](file.md): what it is about`. Keep the index under 200 lines, without details.",
    "- Link facts with `[[name]]`.",
    "- Before you write a new file, look for one that already covers the fact and update it. Correct or remove notes that turn out to be wrong.",
    "- Write down what will be useful next time and is not in the code, its history or the instruction files. Never write secrets.",
    "- A note was true when it was written. Check it against the code before you rely on it.",
  ].join("\n");
}
