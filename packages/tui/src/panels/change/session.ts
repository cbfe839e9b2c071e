// /resume, /rewind, /fork, /export, /copy and /background: what is done with the session as a whole.

import { performRewind } from "../../pickers/rewind.ts";
import { rewindPicker } from "../../pickers/rewind-picker.ts";
import { sessionPicker } from "../../pickers/session-picker.ts";
import { shelfOf } from "../../pickers/session-shelf.ts";
import type { Panel } from "../../screen/view.ts";
import { finishing, type PanelContext, type PanelEnd } from "../context.ts";
import { PanelStack } from "../panel-stack.ts";
import { choicesPanel, ending, linePanel } from "../parts.ts";
import { markdownOfItems } from "./markdown-of-items.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function resumePanel(args: string, context: PanelContext): Promise<Panel<PanelEnd> | PanelEnd> {
  if (UUID.test(args)) return { effects: [{ kind: "switch-session", which: { kind: "resume", id: args } }] };
  const { host, keys, redraw, markdown, sessionId, requests } = context;
  const { git_branch: branch } = await requests.request("get_session_info");
  const picker = sessionPicker(shelfOf(requests), {
    keys,
    redraw,
    markdown,
    query: args,
    current: sessionId,
    ...(branch ? { branch } : {}),
  });
  return ending(picker, (picked) => {
    if (picked === null || picked.id === sessionId) return {};
    const { id, cwd = host.cwd } = picked;
    if (cwd !== host.cwd) return { note: `That session belongs to ${cwd}: start Keelson there with --resume ${id}` };
    return { effects: [{ kind: "switch-session", which: { kind: "resume", id } }] };
  });
}

export function forkThisSession({ sessionId }: PanelContext): PanelEnd {
  return { effects: [{ kind: "switch-session", which: { kind: "resume", id: sessionId, fork: true } }] };
}

export function rewindPanel(context: PanelContext): Panel<PanelEnd> | PanelEnd {
  const { requests, keys, redraw } = context;
  const points = context.prompts();
  if (points.length === 0) return { note: "There is nothing to go back to yet" };
  return ending(rewindPicker(points, { requests, keys, redraw }), (choice) => {
    if (choice === null) return {};
    const work = performRewind(choice, requests).then(({ note, conversation, draft }): PanelEnd => ({
      note,
      effects: [
        ...(conversation ? [{ kind: "rewound", point: choice.point } as const] : []),
        ...(draft === undefined ? [] : [{ kind: "draft", text: draft } as const]),
      ],
    }));
    return finishing(work);
  });
}

export function copyAnswer(context: PanelContext): PanelEnd {
  const text = context.lastAnswer();
  if (text === "") return { note: "There is no answer to copy yet" };
  return { note: `Copied the last answer (${text.length} characters)`, effects: [{ kind: "copy", text }] };
}

export function exportPanel(context: PanelContext): Panel<PanelEnd> | PanelEnd {
  const { keys, host } = context;
  const text = markdownOfItems(context.items());
  if (text === "") return { note: "There is nothing to export yet" };
  const choices = [
    { label: "Copy to the clipboard", detail: "what is kept on the screen, as Markdown" },
    { label: "Write to a file", detail: "the whole session" },
  ];
  return new PanelStack<PanelEnd>((stack) => {
    const list = choicesPanel({ title: "Export the conversation", choices, keys, harmless: true });
    return {
      take(event, now) {
        const done = list.take(event, now);
        if (done === undefined) return undefined;
        if (done.value === null) return { value: {} };
        if (done.value === 0) {
          return {
            value: { note: `Copied the conversation (${text.length} characters)`, effects: [{ kind: "copy", text }] },
          };
        }
        const name = `conversation-${new Date(host.now()).toISOString().slice(0, 10)}.md`;
        const about = "The name of the file: .md for Markdown, .html for a page, .json for data, .txt for text.";
        stack.open(
          linePanel({ title: "Export to a file", about, placeholder: name, keys, standard: name }),
          (file) => ({
            value: file === null ? {} : { effects: [{ kind: "send", prompt: `/export ${file}` }] },
          }),
        );
        return undefined;
      },
      render: (frame) => list.render(frame),
    };
  });
}

export function moveToBackground({ requests }: PanelContext): PanelEnd {
  return finishing(
    requests.request("background_tasks").then(() => ({ note: "Moved what was running to the background; see /tasks" })),
  );
}
