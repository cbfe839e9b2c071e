// The tool types of the SDK against the tools: a field that only one of them has does not compile.

import { expect, test } from "bun:test";
import type { Tool } from "@keelson/engine";
import type * as sdk from "../packages/sdk/src/tool-types/sdk-tools.ts";
import type { askUserTool } from "../packages/tools/src/ask-user/ask-user.ts";
import * as tools from "../packages/tools/src/index.ts";
import * as lsp from "../packages/tools/src/lsp/lsp.ts";
import * as optional from "../packages/tools/src/optional-tools.ts";
import * as mcp from "../packages/tools/src/mcp-tools.ts";
import * as taskList from "../packages/tools/src/task-list-tools.ts";
import * as team from "../packages/tools/src/team-tools.ts";
import * as search from "../packages/tools/src/tool-search/tool-search.ts";
import type { enterPlanModeTool } from "../packages/tools/src/plan/enter-plan-mode.ts";
import type { exitPlanModeTool } from "../packages/tools/src/plan/exit-plan-mode.ts";
import type { enterWorktreeTool, exitWorktreeTool } from "../packages/tools/src/worktree/worktree.ts";

/** Compares types without regard to `readonly`. */
type Plain<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]: Plain<T[Key]> }
      : T;
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

/** The fields of an open type that have names. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

type InputOf<T> = T extends (...given: never) => Tool<infer I> ? I : T extends Tool<infer I> ? I : never;
type OutputOf<T> = T extends (...given: never) => Tool<any, infer O> ? O : T extends Tool<any, infer O> ? O : never;

/** Does not compile unless the input and the output of a tool are these. */
const types = <T, Input, Output>(
  ..._proof: [Same<InputOf<T>, Input>, Same<OutputOf<T>, Output>] extends [true, true] ? [] : ["the types differ"]
) => true;

const TYPED = {
  Agent: types<typeof tools.agentTool, sdk.AgentInput, sdk.AgentOutput>(),
  AskUserQuestion: types<typeof askUserTool, sdk.AskUserQuestionInput, sdk.AskUserQuestionOutput>(),
  Bash: types<typeof tools.bashTool, sdk.BashInput, sdk.BashOutput>(),
  CronCreate: types<typeof tools.cronCreateTool, sdk.CronCreateInput, sdk.CronCreateOutput>(),
  CronDelete: types<typeof tools.cronDeleteTool, sdk.CronDeleteInput, sdk.CronDeleteOutput>(),
  CronList: types<typeof tools.cronListTool, sdk.CronListInput, sdk.CronListOutput>(),
  Edit: types<typeof tools.editTool, sdk.FileEditInput, sdk.FileEditOutput>(),
  EnterPlanMode: types<typeof enterPlanModeTool, sdk.EnterPlanModeInput, sdk.EnterPlanModeOutput>(),
  EnterWorktree: types<typeof enterWorktreeTool, sdk.EnterWorktreeInput, sdk.EnterWorktreeOutput>(),
  ExitPlanMode: types<typeof exitPlanModeTool, Named<sdk.ExitPlanModeInput>, sdk.ExitPlanModeOutput>(),
  ExitWorktree: types<typeof exitWorktreeTool, sdk.ExitWorktreeInput, sdk.ExitWorktreeOutput>(),
  Glob: types<typeof tools.globTool, sdk.GlobInput, sdk.GlobOutput>(),
  Grep: types<typeof tools.grepTool, sdk.GrepInput, sdk.GrepOutput>(),
  LSP: types<typeof lsp.lspTool, sdk.LspInput, sdk.LspOutput>(),
  ListMcpResourcesTool: types<typeof mcp.listMcpResourcesTool, sdk.ListMcpResourcesInput, sdk.ListMcpResourcesOutput>(),
  Monitor: types<typeof tools.monitorTool, sdk.MonitorInput, sdk.MonitorOutput>(),
  NotebookEdit: types<typeof tools.notebookEditTool, sdk.NotebookEditInput, sdk.NotebookEditOutput>(),
  PowerShell: types<typeof optional.powershellTool, sdk.PowerShellInput, sdk.PowerShellOutput>(),
  PushNotification: types<
    typeof optional.pushNotificationTool,
    sdk.PushNotificationInput,
    sdk.PushNotificationOutput
  >(),
  Read: types<typeof tools.readFileTool, sdk.FileReadInput, sdk.FileReadOutput>(),
  ReadMcpResourceDirTool: types<
    typeof mcp.readMcpResourceDirTool,
    sdk.ReadMcpResourceDirInput,
    sdk.ReadMcpResourceDirOutput
  >(),
  ReadMcpResourceTool: types<typeof mcp.readMcpResourceTool, sdk.ReadMcpResourceInput, sdk.ReadMcpResourceOutput>(),
  RemoteTrigger: types<typeof optional.remoteTriggerTool, sdk.RemoteTriggerInput, sdk.RemoteTriggerOutput>(),
  ReportFindings: types<typeof optional.reportFindingsTool, sdk.ReportFindingsInput, sdk.ReportFindingsOutput>(),
  ScheduleWakeup: types<typeof tools.scheduleWakeupTool, sdk.ScheduleWakeupInput, sdk.ScheduleWakeupOutput>(),
  SendMessage: types<typeof tools.sendMessageTool, sdk.SendMessageInput, sdk.SendMessageOutput>(),
  ShareOnboardingGuide: types<
    typeof optional.shareOnboardingTool,
    sdk.ShareOnboardingInput,
    sdk.ShareOnboardingOutput
  >(),
  Skill: types<typeof tools.skillTool, sdk.SkillInput, sdk.SkillOutput>(),
  TaskCreate: types<typeof taskList.taskCreateTool, sdk.TaskCreateInput, sdk.TaskCreateOutput>(),
  TaskGet: types<typeof taskList.taskGetTool, sdk.TaskGetInput, sdk.TaskGetOutput>(),
  TaskList: types<typeof taskList.taskListTool, sdk.TaskListInput, sdk.TaskListOutput>(),
  TaskOutput: types<typeof tools.taskOutputTool, sdk.TaskOutputInput, sdk.TaskOutputOutput>(),
  TaskStop: types<typeof tools.taskStopTool, sdk.TaskStopInput, sdk.TaskStopOutput>(),
  TaskUpdate: types<typeof taskList.taskUpdateTool, sdk.TaskUpdateInput, sdk.TaskUpdateOutput>(),
  TeamCreate: types<typeof team.teamCreateTool, sdk.TeamCreateInput, sdk.TeamCreateOutput>(),
  TeamDelete: types<typeof team.teamDeleteTool, sdk.TeamDeleteInput, sdk.TeamDeleteOutput>(),
  TodoWrite: types<typeof tools.todoWriteTool, sdk.TodoWriteInput, sdk.TodoWriteOutput>(),
  ToolSearch: types<typeof search.toolSearchTool, sdk.ToolSearchInput, sdk.ToolSearchOutput>(),
  WebFetch: types<typeof tools.webFetchTool, sdk.WebFetchInput, sdk.WebFetchOutput>(),
  WebSearch: types<typeof tools.webSearchTool, sdk.WebSearchInput, sdk.WebSearchOutput>(),
  Write: types<typeof tools.writeTool, sdk.FileWriteInput, sdk.FileWriteOutput>(),
};

test("a type that differs in one field does not compile", () => {
  // @ts-expect-error: Grep has more fields than these
  expect(types<typeof tools.grepTool, { pattern: string }, sdk.GrepOutput>()).toBe(true);
  // @ts-expect-error: the description is optional
  expect(types<typeof tools.bashTool, sdk.BashInput & { description: string }, sdk.BashOutput>()).toBe(true);
});

test("every built-in tool has types in the SDK", async () => {
  const none = {} as never;
  const forPeople = await tools.interactiveTools({ plan: none, preview: "markdown" });
  const {
    bashTool,
    createReadFileTool: _read,
    agentTool,
    taskOutputTool,
    taskStopTool,
    todoWriteTool,
    skillTool,
    ...rest
  } = tools;
  const { cronCreateTool, cronDeleteTool, cronListTool, scheduleWakeupTool, ...more } = rest;
  const {
    monitorTool,
    sendMessageTool,
    webFetchTool,
    webSearchTool,
    worktreeTools,
    interactiveTools: _,
    withoutGitGuidance: __,
    ...others
  } = more;
  const made: Tool[] = [bashTool(), agentTool(none, { teams: true }), taskOutputTool(none), taskStopTool(none)];
  made.push(todoWriteTool(none), skillTool(none), sendMessageTool(none), monitorTool(none));
  made.push(...worktreeTools(none), webFetchTool(none), webSearchTool(none));
  made.push(cronCreateTool(none), cronDeleteTool(none), cronListTool(none), scheduleWakeupTool(none));
  const forMcp = [lsp, mcp, optional, search, taskList, team].flatMap((door) =>
    Object.values(door).map((make) => make(none)),
  );
  const names = [...forPeople, ...made, ...forMcp, ...Object.values(others)].map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.keys(TYPED));
});
