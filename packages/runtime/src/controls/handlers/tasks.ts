// Requests about background tasks: stop one, read its output.

import { done, failed, textIn, type ControlHandler } from "../reply.ts";

const TAIL = 8 * 1024;

/** Succeeds for unknown tasks, too. */
export const stopTask: ControlHandler = async (request, { tasks }) => {
  await tasks.stop(textIn(request, "task_id"));
  return done({});
};

/** Commands that run in the foreground stay there. */
export const backgroundTasks: ControlHandler = ({ tool_use_id: id }) =>
  done(typeof id === "string" ? { backgrounded: false } : {});

export const getTaskOutput: ControlHandler = (request, { tasks }) => {
  const id = textIn(request, "task_id");
  if (tasks.get(id) === undefined) {
    return failed(`get_task_output: no shell or Monitor task with that task_id (${id}) in this session`);
  }
  const { text, size } = tasks.output(id, TAIL);
  return done({ output: text, total_bytes: size, truncated: size > TAIL });
};
