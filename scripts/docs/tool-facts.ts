// What the definition of a tool does not say: which permission a call needs, and when the model is offered the tool.

export interface ToolFacts {
  readonly permission: string;
  readonly offered: string;
}

const NONE = "none";
const READ = "none inside the working directories";
const EDIT = "edit";
const RUN = "execute";
const PERSON = "asks the user, always";

const ALWAYS = "always";
const CLIENT = "if a client answers permission requests";
const TASKS = "with `CLAUDE_CODE_ENABLE_TASKS=1` or teams";
const TEAMS = "with `CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1`";
const RESOURCES = "if an MCP server has resources";

const facts = (permission: string, offered: string): ToolFacts => ({ permission, offered });

export const TOOL_FACTS: Readonly<Record<string, ToolFacts>> = {
  Agent: facts("none; the agent's own calls need theirs", ALWAYS),
  AskUserQuestion: facts(PERSON, CLIENT),
  Bash: facts(`${RUN}; read-only commands need none`, ALWAYS),
  CronCreate: facts(NONE, "always, unless `CLAUDE_CODE_DISABLE_CRON` is set"),
  CronDelete: facts(NONE, "as CronCreate"),
  CronList: facts(NONE, "as CronCreate"),
  Edit: facts(EDIT, ALWAYS),
  EnterPlanMode: facts(NONE, CLIENT),
  EnterWorktree: facts(NONE, ALWAYS),
  ExitPlanMode: facts(PERSON, CLIENT),
  ExitWorktree: facts(NONE, ALWAYS),
  Glob: facts(READ, ALWAYS),
  Grep: facts(READ, ALWAYS),
  ListMcpResourcesTool: facts(NONE, RESOURCES),
  LSP: facts(READ, "if a plugin or the settings name a language server"),
  Monitor: facts(RUN, "always, unless background tasks are off"),
  NotebookEdit: facts(EDIT, ALWAYS),
  PowerShell: facts(`${RUN}; every command needs a rule or approval`, "with `CLAUDE_CODE_USE_POWERSHELL_TOOL=1`"),
  PushNotification: facts(NONE, "if the user's settings turn [notifications](#notifications) on"),
  Read: facts(READ, ALWAYS),
  ReadMcpResourceDirTool: facts(NONE, RESOURCES),
  ReadMcpResourceTool: facts(NONE, RESOURCES),
  RemoteTrigger: facts(
    "asks, except for `list`, `get`, `list_runs`, `get_run_log` and disabling",
    "if a [routines server](routines-api.md) is set up",
  ),
  ReportFindings: facts(NONE, "if an allow rule names it"),
  ScheduleWakeup: facts(NONE, "as CronCreate"),
  SendMessage: facts(NONE, ALWAYS),
  ShareOnboardingGuide: facts(
    "edit; with `upload`, network",
    "if the user's settings have an address for [guides](#onboarding-guides)",
  ),
  Skill: facts("none; asks if the skill adds tools or hooks", "always, unless `--disable-slash-commands` is set"),
  StructuredOutput: facts(NONE, "with `--json-schema`"),
  TaskCreate: facts(NONE, TASKS),
  TaskGet: facts(NONE, TASKS),
  TaskList: facts(NONE, TASKS),
  TaskOutput: facts(NONE, ALWAYS),
  TaskStop: facts(NONE, ALWAYS),
  TaskUpdate: facts(NONE, TASKS),
  TeamCreate: facts(NONE, TEAMS),
  TeamDelete: facts(NONE, TEAMS),
  TodoWrite: facts(NONE, "unless the shared task list is"),
  ToolSearch: facts(NONE, "if tools are [deferred](mcp.md#many-tools)"),
  WebFetch: facts("network; a rule can name a domain", ALWAYS),
  WebSearch: facts("network", ALWAYS),
  Write: facts(EDIT, ALWAYS),
};
