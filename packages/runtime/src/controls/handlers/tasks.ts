// Requests about tasks: stop one, read its output, move a command to the background.

import { done, failed, textIn, type ControlHandler } from "../reply.ts";

const TAIL = 8 * 1024;

/** Succeeds for unknown tasks, too. */
export const stopTask: ControlHandler<"stop_task"> = async (request, { tasks }) => {
  await tasks.stop(textIn(request, "task_id"));
  return done({});
};

/**
 * Moves what runs in the foreground to the background: what one tool call started, or everything that the session waits
 * for. An agent moves together with what it waits for itself.
 */
export const backgroundTasks: ControlHandler<"background_tasks"> = async ({ tool_use_id: id }, { tasks }) => {
  if (typeof id === "string") return done({ backgrounded: await tasks.moveToBackground(id) });
  const waitedFor = tasks.list().filter(({ inBackground, owner }) => !inBackground && owner === undefined);
  await Promise.all(waitedFor.map((task) => tasks.moveToBackground(task.id)));
  return done({});
};

export const getTaskOutput: ControlHandler<"get_task_output"> = (request, { tasks }) => {
  const id = textIn(request, "task_id");
  const task = tasks.get(id);
  if (task === undefined || task.type === "local_agent") {
    return failed(`get_task_output: no shell or Monitor task with that task_id (${id}) in this session`);
  }
  const { text, size } = tasks.output(id, TAIL);
  return done({ output: text, total_bytes: size, truncated: size > TAIL });
};
