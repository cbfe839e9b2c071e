// A shell command that the user runs in the session. The model reads the command and its output, and answers.

import { withoutReminderTags, textOf, type NewEntry, type PermissionMode, type PromptMessage } from "@keelson/protocol";
import { blockPrompt, byUserOf, isRefusal, reminder, type Admission } from "./admit.ts";
import type { Ports } from "../ports.ts";

export async function admitShell(
  { command, toolUseId }: NonNullable<PromptMessage["shell"]>,
  prompt: PromptMessage,
  mode: PermissionMode,
  ports: Ports,
): Promise<Admission> {
  const { uuid, message } = prompt;
  const promptId = ports.newId();
  const typed = textOf(message.content);
  const said = await ports.fire("UserPromptSubmit", { prompt_id: promptId, prompt: typed });
  if (isRefusal(said)) return blockPrompt(said, typed, ports);
  const input: NewEntry = {
    type: "user",
    uuid: uuid ?? ports.newId(),
    promptId,
    message: { role: "user", content: `<bash-input>${command}</bash-input>` },
    permissionMode: mode,
    ...byUserOf(prompt, typed),
    promptSource: "sdk",
  };
  return {
    entries: [...said.context.map((text) => reminder(text, ports.newId())), input],
    after: () => outputEntries(command, toolUseId, ports),
  };
}

async function outputEntries(command: string, toolUseId: string, ports: Ports): Promise<readonly NewEntry[]> {
  const { stdout, stderr, media = [], context = [] } = await ports.runShellCommand!(command, toolUseId);
  const text = withoutReminderTags(`<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`);
  const content = media.length === 0 ? text : [{ type: "text" as const, text }, ...media];
  return [
    { type: "user", uuid: ports.newId(), message: { role: "user", content } },
    ...context.map((each) => reminder(each, ports.newId(), { toolUseID: toolUseId })),
  ];
}
