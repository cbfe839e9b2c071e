export { openTaskList, type ChangedTask, type SharedTasks, type TaskChange, type TaskDraft } from "./task-list.ts";
export { isFolderName } from "../state-folder.ts";
export { freeTasks, openBlockers, type ListedTask, type ListedStatus } from "./task.ts";
