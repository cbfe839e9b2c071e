// How a typed command stands in the conversation. Clients look for these tags (test/sessions/skills/invoke.test.ts).

export function commandHeading(name: string, args: string): string {
  const lines = [`<command-message>${name}</command-message>`, `<command-name>/${name}</command-name>`];
  if (args !== "") lines.push(`<command-args>${args}</command-args>`);
  return lines.join("\n");
}
