// Records headless sessions for the README: `bun scripts/docs/record-session.ts` prints them; test/docs.test.ts checks that they
// are current.

import { openDocShell } from "./doc-shell.ts";

const COMMANDS = [
  'keelson -p "summarise this repository"',
  `keelson -p --permission-mode acceptEdits 'replace "step < 10" with "step < 12" in src/kepler.js'`,
  `keelson -p --output-format stream-json --verbose 'search for "TODO"' 2>/dev/null | cut -c1-66`,
];

/** Replaces the folder's name, the only thing that differs between runs. */
export async function record(): Promise<string> {
  using shell = openDocShell();
  const lines: string[] = [];
  for (const command of COMMANDS) {
    // The folder's real name has another length, so cut the lines after replacing it.
    const [run, columns] = command.split(" | cut -c1-");
    const { stdout } = await shell.run(`exec 2>&1\n${run}`);
    const shown = stdout.replaceAll(shell.project, "/home/you/orrery").trimEnd().split("\n");
    lines.push(`$ ${command}`, ...shown.map((line) => (columns ? line.slice(0, Number(columns)) : line)), "");
  }
  lines.pop();
  return lines.join("\n");
}

if (import.meta.main) console.log(await record());
