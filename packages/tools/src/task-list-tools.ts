// The tools of the shared task list. A door of its own: sessions that use TodoWrite load them with the first call.

export { taskCreateTool } from "./task-list/task-create.ts";
export { taskGetTool } from "./task-list/task-get.ts";
export type * from "./task-list/task-keeper.ts";
export { taskListTool } from "./task-list/task-list.ts";
export { taskUpdateTool } from "./task-list/task-update.ts";
