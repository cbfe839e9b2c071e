// A command that Keelson answers itself: it runs, and the transcript gets what was typed and what came out. The model
// reads none of it (`isCommandRecord` in protocol).

import { COMMAND_SOURCE, type NewEntry, type PermissionMode, type PromptMessage } from "@keelson/protocol";
import type { Admission } from "./admit.ts";
import type { LocalCommand, Ports } from "./ports.ts";

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
    {
      type: "system",
      uuid: ports.newId(),
      subtype: "local_command",
      content: `<local-command-${output.stream}>${output.text}</local-command-${output.stream}>`,
      level: output.stream === "stdout" ? "info" : "error",
      commandRun: { command: name, args },
    },
  ];
  return { entries, answered: { command: name, text: output.text } };
}

async function outputOf(command: LocalCommand, prompt: string | undefined) {
  try {
    return { text: await command.run(prompt), stream: "stdout" };
  } catch (error) {
    return { text: (error as Error).message, stream: "stderr" };
  }
}
