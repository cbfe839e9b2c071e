// A prompt that came while the run was busy, for the model to read behind the results of its calls.

import { blocksOf, textOf, type NewEntry, type PromptMessage } from "@keelson/protocol";
import { blockPrompt, fittedMessage, isRefusal, reminder } from "./admit.ts";
import type { Ports } from "../ports.ts";

/** Gives the model the queued prompts that may join this run, in order. An interrupt leaves the rest in the queue. */
export async function joinQueued(ports: Ports, add: (...entries: NewEntry[]) => Promise<void>): Promise<void> {
  const { queue, signal } = ports;
  for (let prompt = queue?.next(); prompt && !signal.aborted; prompt = queue?.next()) {
    const said = await ports.fire("UserPromptSubmit", { prompt: textOf(prompt.message.content) });
    const mentioned = prompt.client_composed ? [] : ((await ports.mentioned?.(textOf(prompt.message.content))) ?? []);
    // Until now it could be taken back.
    if (signal.aborted || !queue?.take(prompt)) continue;
    if (isRefusal(said)) await blockPrompt(said, textOf(prompt.message.content), ports);
    else {
      const context = said.context.map((text) => reminder(text, ports.newId()));
      const message = await fittedMessage(prompt, ports);
      await add(...context, ...mentioned, joinedEntry({ ...prompt, message }, ports.newId()));
    }
  }
}

function joinedEntry({ message: { content }, uuid, byUser }: PromptMessage, own: string): NewEntry {
  const media = blocksOf(content).filter(({ type }) => type !== "text");
  const text = [
    byUser === undefined
      ? "This message came while you were working. It is automatic; the user did not write it:"
      : "The user sent this message while you were working:",
    textOf(content),
    "Take it into account, and continue with what is left to do.",
  ].join("\n\n");
  return {
    type: "attachment",
    uuid: own,
    attachment: {
      type: "queued_command",
      prompt: content,
      commandMode: "prompt",
      ...(uuid === undefined ? {} : { source_uuid: uuid }),
    },
    ...(byUser === undefined ? {} : { byUser: byUser === true ? textOf(content) : byUser }),
    rendered: [{ content: [{ type: "text", text }, ...media] }],
    renderedRole: "user",
  };
}
