// What the effects of the prompt do.

import type { PermissionMode } from "@keelson/protocol";
import type { PromptEffect, SubmitEffect } from "../../editor/effects.ts";
import { shortPath } from "../../dialogs/visible.ts";
import type { App } from "../app.ts";
import { readDroppedImage } from "./dropped-image.ts";
import { readSubmission } from "./submit.ts";
import { isPanelCommand, openPanelOf, showTranscript } from "../overlays/panel-commands.ts";

export function act(effect: PromptEffect, app: App): void {
  const { host, prompt, talk, screen } = app;
  switch (effect.kind) {
    case "submit":
      return submit(effect, app);
    case "discard":
      return remember(effect.line, app);
    case "interrupt":
      return app.attempt(talk.interrupt());
    case "exit":
      return app.leave();
    case "rewind":
      return openPanelOf("rewind", "", app);
    case "cycle-mode":
      // One after the other: each starts from the mode that the one before led to.
      app.cycling = app.cycling.then(() => cycleMode(app));
      return app.attempt(app.cycling);
    case "open-editor":
      return app.attempt(
        app
          .lend(() => host.editText(effect.text, { extension: "md" }))
          .then((text) => (text === undefined ? app.note(NO_EDITOR, "warning") : prompt.setText(text))),
      );
    case "paste-image":
      return app.attempt(
        host
          .clipboardImage()
          .then((image) => (image ? prompt.insertImage(image) : app.note("There is no image in the clipboard"))),
      );
    case "read-images":
      for (const { id, path } of effect.images) {
        app.attempt(readDroppedImage(path, talk).then((image) => prompt.imageRead(id, image)));
      }
      return undefined;
    case "unqueue":
      return app.attempt(talk.takeBack().then((draft) => draft !== undefined && prompt.prepend([draft])));
    case "history-search":
      return app.attempt(searchHistory(app));
    case "shortcuts":
      return app.parts.toggleShortcuts();
    case "toggle-transcript":
      return app.attempt(showTranscript(app));
    case "toggle-tasks":
      return app.parts.toggleLists();
    case "background":
      return app.attempt(talk.request("background_tasks"));
    case "stop-agents":
      return app.attempt(stopAgents(app));
    case "redraw":
      return screen.clear();
    case "suspend":
      return app.attempt(app.lend(() => host.terminal.stop()));
    case "model-picker":
      return openPanelOf("model", "", app);
    case "toggle-thinking":
      return app.attempt(toggleThinking(app));
    case "toggle-fast":
      return app.note("There is no fast mode with this model");
  }
}

const NO_EDITOR = "The editor did not return a text; set VISUAL or EDITOR to the one you want";

function submit(effect: SubmitEffect, app: App): void {
  const { mode, text, line, images } = effect;
  const { talk, host } = app;
  remember(line, app);
  const draft = { mode, text, images: images.map(({ image }) => image) };
  const submission = readSubmission(draft, (command, args) => isPanelCommand(command, args, app));
  switch (submission.kind) {
    case "exit":
      return app.leave();
    case "panel":
      return openPanelOf(submission.command, submission.args, app);
    case "shell":
      return app.attempt(talk.run(submission.command));
    case "memory":
      return app.attempt(
        talk
          .request("add_memory", { text: submission.text, scope: "project" })
          .then(({ path }) => app.note(`Noted in ${shortPath(path, host)}`, "info")),
      );
    case "prompt":
      return talk.say({
        content: submission.content,
        draft: line.display,
        typed: true,
        back() {
          app.prompt.takeBack(effect);
          app.note("Taken back: the prompt is in the input again");
        },
      });
  }
}

/** A history that cannot be written is not worth interrupting anyone. */
function remember({ display, pastedContents }: SubmitEffect["line"], { talk }: App): void {
  talk.request("add_prompt_history", { display, pastedContents }).catch(() => undefined);
}

/** A session that may not bypass permissions refuses the last one. */
const CYCLE: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "auto", "bypassPermissions"];

const AUTO_MODE =
  "Auto mode edits files in this folder without asking, and lets a model decide which other calls need your approval. It can be wrong";

/** The next mode that the session accepts. */
async function cycleMode(app: App): Promise<void> {
  const { talk } = app;
  const { facts } = talk;
  const at = CYCLE.indexOf(facts.mode);
  for (let step = 1; step <= CYCLE.length; step++) {
    const mode = CYCLE[(at + step) % CYCLE.length]!;
    try {
      await talk.request("set_permission_mode", { mode });
      facts.mode = mode;
      app.changed();
      if (mode === "auto" && (await app.host.isFirstTime("auto-mode"))) app.note(AUTO_MODE, "info");
      return;
    } catch {
      // Not in this session; the next one may be.
    }
  }
}

const SEARCHED_LINES = 5_000;

async function searchHistory(app: App): Promise<void> {
  const { historySearch } = await import("../../editor/history-search.ts");
  const { bindings, prompt } = app;
  const line = await app.show(
    historySearch({
      recent: () => app.typedBefore({ limit: SEARCHED_LINES }),
      all: () => app.typedBefore({ limit: SEARCHED_LINES, all_projects: true }),
      changed: () => app.changed(),
      bindings,
    }),
  );
  if (line) prompt.setLine(line);
}

async function stopAgents({ talk, parts }: App): Promise<void> {
  const agents = parts.tasks.tasks.filter(({ type }) => type === "local_agent");
  await Promise.all(agents.map(({ id }) => talk.request("stop_task", { task_id: id })));
}

async function toggleThinking(app: App): Promise<void> {
  const { facts } = app.talk;
  const off = facts.thinking;
  await app.talk.request("set_max_thinking_tokens", { max_thinking_tokens: off ? 0 : null });
  facts.thinking = !off;
  app.note(off ? "Thinking is off" : "Thinking is on");
}
