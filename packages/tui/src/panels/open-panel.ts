// Opens the panel of a slash command. Each is loaded when it is first used.

import type { Panel } from "../screen/view.ts";
import { noteOf, panelNameOf } from "./commands.ts";
import type { OpenedPanel, PanelContext, PanelEnd } from "./context.ts";

type Opens = (args: string, context: PanelContext) => Promise<Panel<PanelEnd> | PanelEnd>;

const config = () => import("./change/config.ts");
const choices = () => import("./change/choices.ts");
const lists = () => import("./show/lists.ts");
const session = () => import("./change/session.ts");
const texts = () => import("./show/texts.ts");

const PANELS: Readonly<Record<string, Opens>> = {
  agents: async (_args, context) => (await lists()).agentsPanel(context),
  background: async (_args, context) => (await session()).moveToBackground(context),
  btw: async (args, context) => (await texts()).askAside(args, context),
  config: async (_args, context) => (await config()).configPanel(context),
  context: async (_args, context) => (await import("./show/pictures.ts")).contextPicture(context),
  copy: async (_args, context) => (await session()).copyAnswer(context),
  diff: async (_args, context) => (await texts()).diffPanel(context),
  doctor: async (_args, context) => (await import("./show/status.ts")).doctorPanel(context),
  effort: async (_args, context) => (await choices()).effortPanel(context),
  export: async (_args, context) => (await session()).exportPanel(context),
  fork: async (_args, context) => (await session()).forkThisSession(context),
  help: async (_args, context) => (await import("./show/help.ts")).helpPanel(context),
  hooks: async (_args, context) => (await lists()).hooksPanel(context),
  keybindings: async (_args, context) => (await texts()).openKeybindings(context),
  login: async (args, context) => (await choices()).loginPanel(args, context),
  mcp: async (_args, context) => (await import("./change/mcp.ts")).mcpPanel(context),
  memory: async (_args, context) => (await lists()).memoryPanel(context),
  model: async (_args, context) => (await choices()).modelPanel(context),
  "output-style": async (args, context) => (await choices()).outputStylePanel(args, context),
  permissions: async (_args, context) => (await import("./change/permissions.ts")).permissionsPanel(context),
  plugin: async (_args, context) => (await import("./change/plugins.ts")).pluginPanel(context),
  recap: async (_args, context) => (await texts()).recapPanel(context),
  resume: async (args, context) => (await session()).resumePanel(args, context),
  rewind: async (_args, context) => (await session()).rewindPanel(context),
  skills: async (_args, context) => (await lists()).skillsPanel(context),
  status: async (_args, context) => (await import("./show/status.ts")).statusPanel(context),
  statusline: async (_args, context) => (await texts()).statusLineHelp(context),
  tasks: async (_args, context) => (await import("./change/tasks.ts")).tasksPanel(context),
  "terminal-setup": async (_args, context) => (await texts()).terminalHelp(context),
  theme: async (args, context) => (await choices()).themePanel(args, context),
  usage: async (_args, context) => (await import("./show/pictures.ts")).usagePicture(context),
  web: async (args, context) => (await import("./show/web.ts")).webPanel(args, context),
  vim: async (_args, context) => (await choices()).toggleVim(context),
};

/** Undefined if the command is for the session, as typed. Rejects with an error for the user. */
export function openPanel(command: string, args: string, context: PanelContext): Promise<OpenedPanel> | undefined {
  const name = panelNameOf(command, args);
  if (name === undefined) return undefined;
  const note = noteOf(name);
  if (note !== undefined) return Promise.resolve({ end: { note } });
  return PANELS[name]!(args, context).then((opened) => ("render" in opened ? { panel: opened } : { end: opened }));
}
