// Commands that show a text: answers to questions aside, the diff, and help with the terminal.

import type { Panel } from "../../screen/view.ts";
import { diffViewer } from "../../viewer/diff-viewer.ts";
import type { FullScreenPanel } from "../../viewer/full-screen-panel.ts";
import { errorText, type PanelContext, type PanelEnd } from "../context.ts";
import { closing, textPanel } from "../parts.ts";
import { wrappedLines } from "../wrapped-lines.ts";

/** Shown at once; the answer follows. */
export function askAside(question: string, context: PanelContext): Panel<PanelEnd> | PanelEnd {
  if (question === "") return { note: "/btw requires a question: /btw <question>" };
  return answerPanel(question, question, context);
}

export function recapPanel(context: PanelContext): Panel<PanelEnd> {
  const question =
    "Summarize this conversation for the user in a few sentences: what they want, what was done, what is open. Answer with the summary only.";
  return answerPanel("Recap", question, context);
}

function answerPanel(title: string, question: string, context: PanelContext): Panel<PanelEnd> {
  let answer: string | undefined;
  context.requests
    .request("side_question", { question })
    .then(
      ({ response }) => (answer = response),
      (error: unknown) => (answer = `Failed: ${errorText(error)}`),
    )
    .finally(() => context.redraw());
  // Rendered once for each width: the same lines mean that nothing changed.
  let made: { readonly of: string; readonly columns: number; readonly lines: readonly string[] } | undefined;
  const lines = (columns: number, theme: Parameters<typeof context.markdown>[2]) => {
    const of = answer ?? "Waiting for the answer…";
    if (made?.of !== of || made.columns !== columns) {
      made = {
        of,
        columns,
        lines: answer === undefined ? [theme.paint("dim", of)] : context.markdown(of, columns, theme),
      };
    }
    return made.lines;
  };
  return closing(textPanel({ title, keys: context.keys, lines }));
}

export async function diffPanel(context: PanelContext): Promise<FullScreenPanel<PanelEnd> | PanelEnd> {
  const { requests, keys } = context;
  const { diff } = await requests.request("get_working_diff");
  if (diff === null) return { note: "No diff: this is not a git repository, or its settings could start a program" };
  if (diff.trim() === "") return { note: "Nothing has changed since the last commit" };
  const viewer = diffViewer({ title: "Changes", diff, keys });
  return { ...closing(viewer), fullScreen: true };
}

export async function openKeybindings({ host }: PanelContext): Promise<PanelEnd> {
  const { path, text } = await host.keybindings();
  const { firstBindings } = await import("../../keys/first-bindings.ts");
  const effect = { kind: "edit-file", path, ...(text === undefined ? { start: firstBindings() } : {}) } as const;
  return { note: `Opened ${path}`, effects: [effect] };
}

export function statusLineHelp(context: PanelContext): Panel<PanelEnd> {
  return paragraphs("Status line", STATUS_LINE, context);
}

export function terminalHelp(context: PanelContext): Panel<PanelEnd> {
  const { env } = context.host;
  const name = env["TERM_PROGRAM"] ?? env["TERM"] ?? "unknown";
  const newline = context.keys.keyFor("chat:newline") ?? "Ctrl+J";
  const text = [
    `Terminal: ${name}${env["TMUX"] ? ", inside tmux" : ""}`,
    `A new line in the prompt: ${newline} works in every terminal, and so does a backslash before Enter.`,
    ...(env["TMUX"] ? [TMUX] : []),
    ADVICE[name] ??
      "Shift+Enter works if the terminal reports it (kitty keyboard protocol, or modifyOtherKeys). Otherwise bind it in the terminal to send ESC and Enter.",
    "Option or Alt as a modifier: in macOS terminals, turn on the setting that makes Option act as Meta or Esc+.",
    "Notifications: choose the channel under Notifications in /config.",
  ].join("\n\n");
  return paragraphs("Terminal setup", text, context);
}

function paragraphs(title: string, text: string, context: PanelContext): Panel<PanelEnd> {
  return closing(textPanel({ title, keys: context.keys, lines: wrappedLines(text) }));
}

const STATUS_LINE = `A status line is what a command of yours prints, shown below the prompt. Set it in ~/.claude/settings.json:

  "statusLine": { "type": "command", "command": "~/.claude/statusline.sh" }

The command gets a JSON object on stdin, with session_id, cwd, model.display_name, workspace.current_dir, cost.total_cost_usd, context_window.used_percentage and more. Each line it prints becomes a row; colors are kept. It runs after each answer and when the mode changes. A command that fails or prints nothing shows no row.

  #!/bin/sh
  jq -r '"\\(.model.display_name)  \\(.workspace.current_dir)"'

"padding" sets an indent, "refreshInterval" runs it again after so many seconds.`;

const TMUX =
  "tmux: `set -g extended-keys on` lets Shift+Enter through, `set -g allow-passthrough on` lets notifications through, and `set -g focus-events on` tells when the pane is in focus.";

const ADVICE: Readonly<Record<string, string>> = {
  Apple_Terminal:
    "Terminal.app does not report Shift+Enter. Option+Enter works once Option acts as Meta (Profiles, Keyboard).",
  "iTerm.app": "iTerm2 reports Shift+Enter if Profiles, Keys, General, Report modifiers using CSI u is on.",
  vscode:
    "In the terminal of VS Code, bind shift+enter to workbench.action.terminal.sendSequence with the text ESC and Enter.",
  ghostty: "Ghostty reports Shift+Enter without any setup.",
  WezTerm: "WezTerm reports Shift+Enter with enable_kitty_keyboard = true.",
};
