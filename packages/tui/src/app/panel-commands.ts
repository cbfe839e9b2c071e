// Commands and keys that open a panel: what it gets from the screen, and what is done when it closes.

import type { App } from "./app.ts";

export const PANEL_COMMANDS: readonly {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
}[] = [];

export function isPanelCommand(_command: string, _args: string): boolean {
  return false;
}

export function openPanelOf(command: string, _args: string, app: App): void {
  app.note(`/${command}`);
}

export async function openTranscript(app: App): Promise<void> {
  const { transcriptViewer } = await import("../viewer/transcript-viewer.ts");
  const { host, keys, talk } = app;
  const { feed } = talk;
  await app.showFullScreen(
    transcriptViewer({
      items: () => [...feed.past.items, ...feed.unfinished],
      forgotten: () => feed.past.forgotten,
      keys,
      cwd: host.cwd,
      now: () => host.now(),
    }),
  );
}
