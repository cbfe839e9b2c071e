// Shows what the session asks: reads what the dialog needs, shows it, and sends the answer.

import type { AttachedClient, ControlRequest } from "@keelson/protocol";
import type { DialogAnswer, DialogContext } from "../../dialogs/dialog-context.ts";
import { RequestError } from "@keelson/client";
import type { CallInSession } from "../../host.ts";
import type { App } from "../app.ts";

/** Shows the oldest question that waits, if none is shown, and then the next. */
export async function showQuestions(app: App, waiting: (request: ControlRequest) => void): Promise<void> {
  const { talk } = app;
  for (let request = talk.questions.next(); request !== undefined; request = talk.questions.next()) {
    app.modes.reportPresses(true);
    waiting(request);
    await answer(request, app);
    if (talk.questions.shown === request) talk.questions.answered();
    if (talk.questions.waiting === 0) app.modes.reportPresses(false);
  }
}

/** Another client has answered what was shown here. */
export function answeredElsewhere({ name = "another program" }: AttachedClient): string {
  if (name === "terminal") return "Answered in another terminal";
  return name === "editor" ? "Answered in the editor" : `Answered by ${name}`;
}

async function answer(request: ControlRequest, app: App, plan?: string): Promise<void> {
  const { talk } = app;
  const { openDialog } = await import("../../dialogs/open-dialog.ts");
  const context = await contextFor(app, plan);
  const dialog = openDialog(request, context);
  if (!dialog) return talk.refuse(request.request_id, `This terminal cannot answer ${request.request.subtype}`);
  // Taken back while the dialog was loaded.
  if (talk.questions.shown !== request) return;
  const given = await app.show(dialog, { owner: request.request_id });
  if (given === undefined) return;
  if (given.kind === "edit-plan") return answer(request, app, await editedPlan(given, app));
  talk.answer(request.request_id, given.response);
  for (const effect of given.effects) {
    if (effect.kind === "prompt") talk.say({ content: effect.text, draft: effect.text });
    else if (!(await app.host.openUrl(effect.url))) app.note(`Open ${effect.url} in your browser`, "info");
  }
}

async function contextFor(app: App, plan: string | undefined): Promise<DialogContext> {
  const [{ renderMarkdown }, { renderDiff }] = await Promise.all([
    import("../../markdown/render-markdown.ts"),
    import("../../diff/render-diff.ts"),
  ]);
  const openedAt = app.host.now();
  return {
    cwd: app.host.cwd,
    home: app.host.home,
    keys: app.keys,
    openedAt,
    isTyping: () => app.prompt.line.text.trim() !== "",
    ...(app.lastTypedAt === undefined ? {} : { lastKeyAt: app.lastTypedAt }),
    ...(app.host.screenReader ? { plain: true } : {}),
    ...(plan === undefined ? {} : { plan }),
    explain: (call) => explainCall(call, app),
    redraw: () => app.changed(),
    diff: renderDiff,
    markdown: renderMarkdown,
  };
}

async function explainCall(call: Pick<CallInSession, "tool" | "input">, app: App): Promise<string | undefined> {
  const { host, talk } = app;
  const { mode, cwd = host.cwd } = talk.facts;
  const { rules, workspaceDirectories } = (await talk.request("list_permission_rules")).state;
  return host.explainCall({ ...call, mode, cwd, directories: workspaceDirectories, rules });
}

/** Null if there is no such file; undefined if it cannot be read. */
async function readText(path: string, app: App): Promise<{ readonly text: string | null } | undefined> {
  try {
    return { text: (await app.talk.request("read_file", { path })).contents };
  } catch (error) {
    return error instanceof RequestError && error.isMissing ? { text: null } : undefined;
  }
}

async function editedPlan({ plan, path }: DialogAnswer & { kind: "edit-plan" }, app: App): Promise<string> {
  // A plan that came with the call may not be in a file yet.
  const isWritten = path !== undefined && typeof (await readText(path, app))?.text === "string";
  if (isWritten && (await app.lend(() => app.host.editFile(path)))) {
    return (await readText(path, app))?.text ?? plan;
  }
  return (await app.lend(() => app.host.editText(plan, { extension: "md" }))) ?? plan;
}
