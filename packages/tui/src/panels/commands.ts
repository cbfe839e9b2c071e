// The slash commands that the terminal answers itself, for the completion of `/` and for what is sent on. Nothing of the
// panels is loaded with it.

import type { ListedCommand } from "@keelson/protocol";

interface OwnCommand extends ListedCommand {
  /** With arguments, it goes to the session as typed. */
  readonly bareOnly?: true;
}

const own = (name: string, description: string, more: Partial<OwnCommand> = {}): OwnCommand => ({
  name,
  description,
  argumentHint: "",
  ...more,
});

const COMMANDS: readonly OwnCommand[] = [
  own("agents", "Show the agents", { bareOnly: true, aliases: ["list-agents"] }),
  own("background", "Move running commands to the background"),
  own("btw", "Ask something without adding it to the conversation", { argumentHint: "<question>" }),
  own("config", "Change settings", { bareOnly: true, argumentHint: "[key [value]]", aliases: ["settings"] }),
  own("context", "Show what fills the context window", { bareOnly: true }),
  own("copy", "Copy the last answer to the clipboard"),
  own("diff", "Show what changed in the working tree"),
  own("doctor", "Check the installation and the settings"),
  own("effort", "Choose how much effort the model spends", { bareOnly: true, argumentHint: "[level]" }),
  own("export", "Copy the conversation, or write it to a file", { bareOnly: true, argumentHint: "[file]" }),
  own("fork", "Continue in a copy of this session", { aliases: ["branch"] }),
  own("help", "Show commands and shortcuts"),
  own("hooks", "Show the hooks", { bareOnly: true }),
  own("keybindings", "Edit the key bindings"),
  own("login", "Choose a provider, or give a key for one", { argumentHint: "[provider]" }),
  own("mcp", "Manage MCP servers", { bareOnly: true, argumentHint: "[action server]" }),
  own("memory", "Open an instruction file", { bareOnly: true }),
  own("model", "Choose a model", { bareOnly: true, argumentHint: "[model]" }),
  own("output-style", "Choose how the model works and answers", { argumentHint: "[style]" }),
  own("permissions", "Show and change permission rules", { bareOnly: true, aliases: ["allowed-tools"] }),
  own("plugin", "Turn plugins on and off", { aliases: ["plugins"] }),
  own("recap", "Summarize the conversation so far, for you"),
  own("resume", "Continue another session", { argumentHint: "[search]", aliases: ["continue"] }),
  own("rewind", "Go back in the conversation, the code, or both", { aliases: ["checkpoint"] }),
  own("skills", "Show the skills", { bareOnly: true }),
  own("status", "Show session, model and settings files", { bareOnly: true }),
  own("statusline", "Explain how to set up a status line"),
  own("tasks", "Show agents and background tasks, and stop them", { aliases: ["bashes"] }),
  own("terminal-setup", "Explain the keys of this terminal"),
  own("theme", "Choose the colors", { argumentHint: "[theme]" }),
  own("usage", "Show the cost and usage of this session", { bareOnly: true, aliases: ["cost", "stats"] }),
  own("vim", "Turn vim keys on or off"),
  own("web", "Go on in the browser, too", { argumentHint: "[address of a proxy]" }),
];

/** Commands of compatible programs that mean nothing here, with what to do instead. */
const NOTES: Readonly<Record<string, string>> = {
  color: "Colors come from the theme: choose one with /theme",
  fast: "Fast mode is not supported: choose a faster model with /model",
  focus: "There is no focus view: finished output stays in the scrollback of the terminal",
  ide: "Run Keelson in the terminal of your editor; there is no extension to connect to",
  sandbox: "The sandbox is a setting: run keelson config set sandbox.enabled true, and start again",
  "scroll-speed": "The terminal scrolls, so its own setting applies",
  stop: "Esc stops the current work; /tasks lists what runs in the background and stops it",
  tui: "Keelson always draws on the main screen and keeps the scrollback",
  voice: "Voice input is not supported",
};

/**
 * The command under its first name; undefined if the terminal does not answer it. A skill of the user may have the name
 * of a command and replaces it then: `session` are the commands of the session.
 */
export function panelNameOf(command: string, args: string, session: readonly ListedCommand[] = []): string | undefined {
  if (session.some(({ name, builtin }) => name === command && builtin !== true)) return undefined;
  if (Object.hasOwn(NOTES, command)) return command;
  const found = COMMANDS.find(({ name, aliases }) => name === command || aliases?.includes(command));
  return found === undefined || (found.bareOnly && args !== "") ? undefined : found.name;
}

export function noteOf(command: string): string | undefined {
  return Object.hasOwn(NOTES, command) ? NOTES[command] : undefined;
}

/** The commands of a session and those of the terminal, by name. */
export function withPanelCommands(session: readonly ListedCommand[]): readonly ListedCommand[] {
  const own = [...COMMANDS, EXIT];
  const names = new Set(own.map(({ name }) => name));
  // Whatever has their names, these end the session.
  const ends = new Set([EXIT.name, ...EXIT.aliases!]);
  const kept = session.filter(({ name, builtin }) => !ends.has(name) && (!names.has(name) || builtin !== true));
  const taken = new Set(kept.map(({ name }) => name));
  return [...kept, ...own.filter(({ name }) => !taken.has(name))]
    .map(({ name, description, argumentHint, aliases, builtin = names.has(name) && !taken.has(name) }) => ({
      name,
      description,
      argumentHint,
      ...(aliases === undefined ? {} : { aliases }),
      ...(builtin ? { builtin } : {}),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const EXIT: ListedCommand = { name: "exit", description: "End the session", argumentHint: "", aliases: ["quit"] };
