export { isRunning, processStart } from "@keelson/disk/process-identity";
export { openMailboxes, type Mail, type Mailboxes } from "./mailbox.ts";
export {
  createTeam,
  prepareTeamFolders,
  openTeam,
  removeTeamFiles,
  TEAM_LEAD,
  teamLedBy,
  type TeamConfig,
  type TeamFile,
  type TeamMember,
} from "./team-file.ts";
export { adoptTasks, hasForeignTasks, markTasks, removeForeignTasks, removeTasks, tasksLeftBy } from "./team-tasks.ts";
