// Subagents and commands in the background, as a tree of who started whom. Each can be looked at and stopped.

import { useSignal } from "@preact/signals";
import type { BackgroundTask } from "@keelson/client";
import { showAll, showRow } from "../transcript/visible.ts";
import type { LiveSession } from "./live-session.ts";

interface TasksProps {
  readonly session: LiveSession;
  readonly tasks: readonly BackgroundTask[];
  /** Those that this one started; absent: those that the session did. */
  readonly parent?: string;
}

export function Tasks({ session, tasks, parent }: TasksProps) {
  const known = new Set(tasks.map(({ id }) => id));
  // One whose parent is gone is shown at the top.
  const here = tasks.filter((task) =>
    parent === undefined ? task.parent === undefined || !known.has(task.parent) : task.parent === parent,
  );
  return here.length === 0 ? null : (
    <ul {...(parent === undefined ? { "aria-label": "In the background" } : {})}>
      {here.map((task) => (
        <li key={task.id}>
          <Task session={session} task={task} />
          <Tasks session={session} tasks={tasks} parent={task.id} />
        </li>
      ))}
    </ul>
  );
}

function Task({ session, task }: { readonly session: LiveSession; readonly task: BackgroundTask }) {
  const output = useSignal<string | undefined>(undefined);
  const { id, agent, description, lastTool, calls, tokens } = task;
  const said = (text: string) => (output.value = text.trim() === "" ? "No output yet" : text);
  const look = () => {
    if (output.value !== undefined) return void (output.value = undefined);
    session.requests.request("get_task_output", { task_id: id }).then(
      ({ output: text }) => said(text),
      (error: unknown) => said(error instanceof Error ? error.message : String(error)),
    );
  };
  const stop = () =>
    void session.requests
      .request("stop_task", { task_id: id })
      .catch((error: unknown) => said(error instanceof Error ? error.message : String(error)));
  const facts = [
    ...(lastTool === undefined ? [] : [showRow(lastTool)]),
    ...(calls === 0 ? [] : [calls === 1 ? "1 call" : `${calls} calls`]),
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString("en")} tokens`]),
  ];
  return (
    <>
      <div class="task">
        <span class="text">
          {agent === undefined ? null : <strong>{showRow(agent)} </strong>}
          {showRow(description)}
        </span>
        <span class="dim">{facts.join(" · ")}</span>
        <span class="grow" />
        <button class="quiet" aria-expanded={output.value !== undefined} onClick={look}>
          Output
        </button>
        {session.isViewer.value ? null : (
          <button class="quiet" onClick={stop}>
            Stop it
          </button>
        )}
      </div>
      {output.value === undefined ? null : (
        <pre class="output" tabIndex={0}>
          {showAll(output.value)}
        </pre>
      )}
    </>
  );
}
