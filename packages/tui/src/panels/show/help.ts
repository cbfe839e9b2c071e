// /help: what can be typed, and what the keys do.

import { commandSummary } from "@keelson/protocol/command-summary";
import type { Panel } from "../../screen/view.ts";
import type { PanelContext, PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";

/** Actions in the order people look for them, and prefixes of the prompt. */
const SHORTCUTS: readonly (readonly [key: string | { readonly action: string }, does: string])[] = [
  ["/", "run a command"],
  ["@", "mention a file"],
  ["!", "run a shell command"],
  ["#", "add a note to memory"],
  ["?", "show the shortcuts, on an empty prompt"],
  [{ action: "chat:submit" }, "send the prompt; while the model works, queue it"],
  [{ action: "chat:newline" }, "start a new line"],
  [{ action: "chat:cancel" }, "interrupt; twice on a draft: clear it; twice on an empty prompt: rewind"],
  [{ action: "chat:cycleMode" }, "switch the permission mode"],
  [{ action: "app:toggleTranscript" }, "show the whole conversation"],
  [{ action: "app:toggleTodos" }, "show or hide the task list"],
  [{ action: "history:search" }, "search earlier prompts"],
  [{ action: "chat:externalEditor" }, "edit the prompt in your editor"],
  [{ action: "chat:stash" }, "put the draft aside until the next prompt is sent"],
  [{ action: "chat:undo" }, "undo"],
  [{ action: "chat:imagePaste" }, "paste an image"],
  [{ action: "task:background" }, "move a running command to the background"],
  [{ action: "chat:killAgents" }, "stop the background agents"],
  [{ action: "chat:modelPicker" }, "choose a model"],
  [{ action: "chat:thinkingToggle" }, "turn thinking on or off"],
  [{ action: "chat:clearInput" }, "redraw the screen"],
  [{ action: "app:suspend" }, "suspend; fg resumes"],
  [{ action: "app:interrupt" }, "interrupt, or clear the draft; twice: exit"],
  [{ action: "app:exit" }, "exit, on an empty prompt"],
];

export function helpPanel(context: PanelContext): Panel<PanelEnd> {
  const commands = context
    .commands()
    .map((command): ListEntry => {
      const { name, argumentHint, description, aliases = [] } = command;
      const also = aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
      return {
        id: name,
        label: `/${name}${argumentHint === "" ? "" : ` ${argumentHint}`}`,
        value: commandSummary(description),
        about: `${description}${also}`,
      };
    })
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
  const shortcuts = SHORTCUTS.flatMap(([key, does]): readonly ListEntry[] => {
    const label = typeof key === "string" ? key : context.keys.keyFor(key.action);
    return label === undefined || label === "" ? [] : [{ id: does, label, value: does }];
  });
  return new ListPanel<PanelEnd>({
    harmless: true,
    title: "Help",
    keys: context.keys,
    tabs: ["Commands", "Shortcuts"],
    searches: true,
    entries: (tab) => (tab === 0 ? commands : shortcuts),
    empty: () => "None",
    accept: (entry, tab) =>
      tab === 0 ? { value: { effects: [{ kind: "draft", text: `/${entry.id} ` }] } } : undefined,
    closed: () => ({}),
    hints: (_entry, tab) => [
      ...(tab === 0 ? [{ action: "select:accept", does: "put into the prompt" }] : []),
      { action: "tabs:next", does: "next tab" },
    ],
  });
}
