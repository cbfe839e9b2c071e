export { isRunning, processStart } from "@keelson/disk/process-identity";
export { openMailboxes, type Mail, type Mailboxes } from "./mailbox.ts";
export {
  adoptTasks,
  createTeam,
  prepareTeamFolders,
  openTeam,
  removeTeam,
  TEAM_LEAD,
  type TeamConfig,
  type TeamFile,
  type TeamMember,
} from "./team-file.ts";
