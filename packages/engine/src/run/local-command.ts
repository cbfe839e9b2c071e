// A command that Keelson answers itself: it runs, and the transcript gets what was typed and what came out. The model
// reads none of it (`isCommandRecord` in protocol).

import { COMMAND_SOURCE, type NewEntry, type PermissionMode, type PromptMessage } from "@keelson/protocol";
import type { Admission } from "./admit.ts";
import type { LocalAnswer, LocalCommand, Ports } from "../ports.ts";

/** For other programs that continue this transcript and show these entries to a model. */
const CAVEAT =
  "The user ran the following commands in the program itself. They are not addressed to you: do not reply to them.";

export async function answerLocally(
  command: LocalCommand,
  prompt: PromptMessage,
  mode: PermissionMode,
  ports: Ports,
): Promise<Admission> {
  const { name, args } = command;
  const output = await outputOf(command, prompt.uuid);
  const promptId = ports.newId();
  const entries: readonly NewEntry[] = [
    ...output.entries,
    {
      type: "user",
      uuid: ports.newId(),
      promptId,
      isMeta: true,
      message: { role: "user", content: `<local-command-caveat>${CAVEAT}</local-command-caveat>` },
    },
    {
      type: "user",
      uuid: prompt.uuid ?? ports.newId(),
      promptId,
      message: {
        role: "user",
        content: [
          `<command-name>/${name}</command-name>`,
          `<command-message>${name}</command-message>`,
          `<command-args>${args}</command-args>`,
        ].join("\n"),
      },
      permissionMode: mode,
      promptSource: COMMAND_SOURCE,
    },
    outputEntry(command, output, ports.newId()),
  ];
  return { entries, answered: { command: name, text: output.text } };
}

interface CommandOutput extends LocalAnswer {
  readonly stream: "stdout" | "stderr";
}

async function outputOf(command: LocalCommand, prompt: string | undefined): Promise<CommandOutput> {
  try {
    const answer = await command.run(prompt);
    return { ...(typeof answer === "string" ? { text: answer, entries: [] } : answer), stream: "stdout" };
  } catch (error) {
    return { text: (error as Error).message, entries: [], stream: "stderr" };
  }
}

/** A command that changed the conversation is recorded in it, as in the reference (test/sessions/compaction). */
function outputEntry({ name, args }: LocalCommand, { text, entries, stream }: CommandOutput, uuid: string): NewEntry {
  const content = `<local-command-${stream}>${text}</local-command-${stream}>`;
  if (entries.length > 0) return { type: "user", uuid, message: { role: "user", content } };
  return {
    type: "system",
    uuid,
    subtype: "local_command",
    content,
    level: stream === "stdout" ? "info" : "error",
    commandRun: { command: name, args },
  };
}
