// Commands and keys that open a panel: what it gets from the screen, and what is done when it closes.

import { panelNameOf } from "../../panels/commands.ts";
import type { OpenedPanel, PanelContext, PanelEffect, PanelEnd } from "../../panels/context.ts";
import type { Panel } from "../../screen/view.ts";
import { offeredThemes, themeOf } from "../theme-of.ts";
import { isFullScreen } from "../../viewer/full-screen-panel.ts";
import type { App } from "../app.ts";

export function isPanelCommand(command: string, args: string, app: App): boolean {
  return panelNameOf(command, args, app.talk.facts.commands) !== undefined;
}

/** Shows the panel of a command, and does what it decided. */
export function openPanelOf(command: string, args: string, app: App): void {
  app.attempt(open(command, args, app));
}

/** Ctrl+O: everything that was said and done, unfolded. */
export async function showTranscript(app: App): Promise<void> {
  const { transcriptViewer } = await import("../../viewer/transcript-viewer.ts");
  const { host, keys, talk, parts } = app;
  const { feed } = talk;
  await app.showFullScreen(
    transcriptViewer({
      items: () => [...feed.past.items, ...feed.unfinished],
      forgotten: () => feed.past.forgotten,
      agents: () => parts.agents.all,
      keys,
      cwd: host.cwd,
      now: () => host.now(),
    }),
  );
}

async function open(command: string, args: string, app: App): Promise<void> {
  const { openPanel } = await import("../../panels/open-panel.ts");
  const opening = openPanel(command, args, await contextOf(app));
  const opened = opening && (await patiently(opening, command, app));
  if (!opened) return;
  await close("end" in opened ? opened.end : await shown(opened.panel, app), app);
}

/** After this, a panel that is not there yet says so: keys no longer go to the prompt, where it would come over them. */
const SLOW_MS = 100;

/** What is waited for, or undefined if the user did not want to wait. */
async function patiently(opening: Promise<OpenedPanel>, command: string, app: App): Promise<OpenedPanel | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const given = new Promise<undefined>((resolve) => {
    const wait = async () => {
      const { waitingPanel } = await import("../../panels/waiting-panel.ts");
      if (timer === undefined) return;
      const cancelled = await app.show(waitingPanel(`/${command}`, app.keys), { owner: WAITING });
      if (!cancelled) return;
      app.note(`Cancelled /${command}`);
      resolve(undefined);
    };
    timer = setTimeout(() => app.attempt(wait()), SLOW_MS);
  });
  let opened: OpenedPanel | undefined;
  try {
    return (opened = await Promise.race([opening, given]));
  } finally {
    clearTimeout(timer);
    timer = undefined;
    // Others are shown in its place, so that one does not come over a question.
    if (!opened || "end" in opened || isFullScreen(opened.panel)) app.panels.remove(WAITING);
  }
}

const WAITING = "waiting for a panel";

function shown(panel: Panel<PanelEnd>, app: App): Promise<PanelEnd | undefined> {
  return isFullScreen(panel) ? app.showFullScreen(panel) : app.show(panel, { insteadOf: WAITING });
}

async function close(end: PanelEnd | undefined, app: App): Promise<void> {
  if (!end) return;
  if (end.note !== undefined) app.note(end.note);
  for (const effect of end.effects ?? []) await perform(effect, app);
  if (end.later) await close(await end.later, app);
}

async function perform(effect: PanelEffect, app: App): Promise<void> {
  const { host, talk, prompt } = app;
  switch (effect.kind) {
    case "send":
      return talk.say({ content: effect.prompt, draft: effect.prompt });
    case "draft":
      return prompt.setText(effect.text);
    case "switch-session":
      return app.switchTo(effect.which);
    case "rewound":
      return app.rewound(effect.point);
    case "edit-file":
      if (!(await app.lend(() => host.editFile(effect.path, effect.start)))) {
        app.note(`Could not edit ${effect.path}; set VISUAL or EDITOR to the editor you want`, "warning");
      }
      return undefined;
    case "copy":
      return app.copy(effect.text);
    case "setting":
      return app.setSetting(effect.key, effect.value);
  }
}

async function contextOf(app: App): Promise<PanelContext> {
  const { renderMarkdown } = await import("../../markdown/render-markdown.ts");
  const { host, keys, talk, parts } = app;
  return {
    requests: talk,
    host,
    keys,
    redraw: () => app.changed(),
    markdown: renderMarkdown,
    commands: () => app.commands(),
    prompts: () => talk.facts.prompts,
    items: () => [...talk.feed.past.items, ...talk.feed.unfinished],
    tasks: () => parts.tasks.tasks,
    agents: () => parts.agents.all,
    lastAnswer: () => talk.facts.lastAnswer,
    sessionId: talk.sessionId ?? "",
    setting: (key) => app.settings[key],
    themes: offeredThemes(host),
    themeNamed: (theme) => themeOf(host, { ...app.settings, theme }, app.background),
  };
}
