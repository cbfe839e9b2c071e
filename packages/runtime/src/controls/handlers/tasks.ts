// Work in the background: stopping it and reading what it wrote.

import { done, failed, textIn, type Handler } from "../reply.ts";

const TAIL = 8 * 1024;

/** Also for a task nobody knows (observed): whoever wants it gone has what they want. */
export const stopTask: Handler = async (request, { tasks }) => {
  await tasks.stop(textIn(request, "task_id"));
  return done({});
};

/** A command that runs in the foreground stays there: it was started to be waited for. */
export const backgroundTasks: Handler = ({ tool_use_id: id }) =>
  done(typeof id === "string" ? { backgrounded: false } : {});

export const getTaskOutput: Handler = (request, { tasks }) => {
  const id = textIn(request, "task_id");
  if (tasks.get(id) === undefined) {
    return failed(`get_task_output: no shell or Monitor task with that task_id (${id}) in this session`);
  }
  const { text, size } = tasks.output(id, TAIL);
  return done({ output: text, total_bytes: size, truncated: size > TAIL });
};
