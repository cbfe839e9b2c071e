// /tasks: agents, and what runs in the background: what they say and print as it comes, and a way to stop them.

import { elapsed } from "../../blocks/amounts.ts";
import { agentEntry, agentViewer } from "../../viewer/transcript-viewer.ts";
import type { Panel } from "../../screen/view.ts";
import type { StyleName } from "../../theme/theme.ts";
import { linesOfText } from "../../viewer/section.ts";
import { errorText, type PanelContext, type PanelEnd, type PanelTask } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";
import { PanelStack } from "../panel-stack.ts";
import { textPanel } from "../parts.ts";

const LOOK_EVERY_MS = 500;

const KINDS: Readonly<Record<string, string>> = {
  local_bash: "command",
  local_agent: "agent",
  monitor: "monitor",
  wakeup: "wake-up",
};
/** Of these, the prompt is shown: they print nothing. */
const hasOutput = ({ type }: PanelTask) => type !== "local_agent" && type !== "wakeup";

export function tasksPanel(context: PanelContext): Panel<PanelEnd> | PanelEnd {
  const agentOf = (id: string) => context.agents().find((agent) => agent.id === id);
  // An agent in the background is also a task.
  const others = () => context.tasks().filter(({ id }) => agentOf(id) === undefined);
  if (context.tasks().length + context.agents().length === 0) return { note: "No tasks or agents" };
  let said: { readonly text: string; readonly style: StyleName } | undefined;
  let note: string | undefined;
  const viewed = { keys: context.keys, cwd: context.host.cwd, now: () => context.host.now() };
  const isStoppable = ({ id }: ListEntry) => (agentOf(id)?.status ?? "running") === "running";
  const stop = async (id: string) => {
    const name = (agentOf(id) ?? context.tasks().find((task) => task.id === id))?.description ?? id;
    try {
      await context.requests.request("stop_task", { task_id: id });
      note = `Stopped ${name}`;
      said = { text: note, style: "success" };
    } catch (error) {
      said = { text: errorText(error), style: "error" };
    }
    context.redraw();
  };
  const stack = new PanelStack<PanelEnd>(
    (own) =>
      new ListPanel<PanelEnd>({
        harmless: true,
        title: "Tasks and agents",
        keys: context.keys,
        contexts: ["Task"],
        entries: () => {
          const now = context.host.now();
          const agents = context.agents().map((agent) => agentEntry(agent, now));
          const running = (each: ListEntry) => each.valueStyle === "accent";
          // What ended is below what runs, the newest first.
          const ended = agents.filter((each) => !running(each)).toReversed();
          return [...agents.filter(running), ...others().map((task) => taskEntry(task, now)), ...ended];
        },
        empty: () => "No tasks or agents",
        accept: ({ id }) => {
          const agent = agentOf(id);
          if (agent) return own.open(agentViewer(agent, viewed, { inPlace: true }), () => undefined);
          const task = context.tasks().find((each) => each.id === id);
          if (task) own.open((hasOutput(task) ? outputPanel : promptPanel)(task, context), () => undefined);
        },
        act: (action, entry) => {
          if (action === "task:stop" && entry && isStoppable(entry)) void stop(entry.id);
        },
        closed: () => (note === undefined ? {} : { note }),
        hints: (entry) =>
          entry === undefined
            ? []
            : [
                {
                  action: "select:accept",
                  does: agentOf(entry.id) ? "open" : shows(context.tasks().find(({ id }) => id === entry.id)),
                },
                ...(isStoppable(entry) ? [{ action: "task:stop", does: "stop" }] : []),
              ],
        status: () => said,
      }),
  );
  return {
    take: (event, now) => stack.take(event, now),
    render: (frame) => stack.render(frame),
    // Elapsed times are in whole seconds.
    nextChange: (now) =>
      stack.nextChange(now) ?? ([...others(), ...context.agents()].some(isRunning) ? 1000 : undefined),
  };
}

const shows = (task: PanelTask | undefined) => (task === undefined || hasOutput(task) ? "output" : "prompt");

const isRunning = ({ status = "running" }: Pick<PanelTask, "status">) => status === "running";

function taskEntry(task: PanelTask, now: number): ListEntry {
  const { id, type, description, status = "running", startedMs } = task;
  const time = startedMs === undefined || !isRunning(task) ? [] : [elapsed(now - startedMs)];
  return {
    id,
    label: description,
    value: [KINDS[type] ?? type, type === "wakeup" ? "waiting" : status, ...time].join(" · "),
    valueStyle: isRunning(task) ? "accent" : "dim",
    about: id,
  };
}

/** What an agent was asked, or what a wake-up sends when it is due. */
function promptPanel({ description, prompt = "" }: PanelTask, context: PanelContext): Panel<null> {
  const lines = linesOfText(prompt);
  return textPanel({ title: description, keys: context.keys, lines: () => lines });
}

/** The end of what a task printed, asked for again while it runs. */
function outputPanel({ id, description }: PanelTask, context: PanelContext): Panel<null> {
  let lines: readonly string[] = ["Loading…"];
  let lookedAt = -Infinity;
  const runs = () => context.tasks().some((task) => task.id === id && isRunning(task));
  const look = async () => {
    try {
      const reply = await context.requests.request("get_task_output", { task_id: id });
      const { output, total_bytes: bytes, truncated } = reply;
      const text = output === "" ? "No output yet" : output;
      lines = truncated ? [`… the last part of ${bytes} bytes`, ...linesOfText(text)] : linesOfText(text);
    } catch (error) {
      lines = linesOfText(errorText(error));
    }
    context.redraw();
  };
  const panel = textPanel({
    title: description,
    keys: context.keys,
    follows: true,
    lines: () => lines,
    every: () => (runs() ? LOOK_EVERY_MS : undefined),
  });
  return {
    ...panel,
    render(frame) {
      if (frame.now - lookedAt >= LOOK_EVERY_MS && (runs() || lookedAt === -Infinity)) {
        lookedAt = frame.now;
        void look();
      }
      return panel.render(frame);
    },
  };
}
