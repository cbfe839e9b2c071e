// Questions of the program to its user: answered by the application that drives it, or by no one.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { query, type CanUseTool, type SDKMessage } from "@keelson/sdk";
import { readTranscript, runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { door, read, resultsOf, textOf } from "./door.ts";

const call = (name: string, input: any = {}) => ({ calls: [{ name, input }] });
const questions = [
  {
    question: "Which?",
    header: "Which",
    multiSelect: false,
    options: [
      { label: "A", description: "a" },
      { label: "B", description: "b" },
    ],
  },
];
const outputs = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message: any) => (message.tool_use_result === undefined ? [] : [message.tool_use_result]));
const modes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message: any) =>
    message.subtype === "status" && message.permissionMode ? [message.permissionMode] : [],
  );

test("a question of the program to its user is answered through canUseTool", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([call("AskUserQuestion", { questions }), { text: "A it is" }]);
  const asked: Parameters<CanUseTool>[0][] = [];
  const messages = await read(
    query({
      prompt: "ask me",
      options: {
        ...door(home, model),
        canUseTool: async (name, input) => {
          asked.push(name);
          return { behavior: "allow", updatedInput: { ...input, answers: { "Which?": "A" } } };
        },
      },
    }),
  );
  expect(asked).toEqual(["AskUserQuestion"]);
  expect(told(model.requests[1]!)).toMatchObject([
    {
      content: 'Your questions have been answered: "Which?"="A". You can now continue with these answers in mind.',
    },
  ]);
  expect(outputs(messages)).toEqual([{ questions, answers: { "Which?": "A" } }]);
  expect(resultsOf(messages)[0]!.permission_denials).toEqual([]);
});

test("a question reaches the application also where nothing else is asked, and may stay unanswered", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    call("AskUserQuestion", { questions }),
    call("AskUserQuestion", { questions: [...questions, ...questions] }),
    { text: "so be it" },
  ]);
  const options = {
    ...door(home, model),
    permissionMode: "bypassPermissions" as const,
    allowDangerouslySkipPermissions: true,
    canUseTool: (async () => ({ behavior: "allow" })) satisfies CanUseTool,
  };
  const messages = await read(
    query({ prompt: "ask me", options: { ...options, env: { ...options.env, IS_SANDBOX: "1" } } }),
  );
  expect(told(model.requests[1]!)).toMatchObject([{ content: "The user did not answer the questions." }]);
  expect(told(model.requests[2]!)).toMatchObject([
    {
      is_error: true,
      content:
        "<tool_use_error>Question texts must be unique, option labels must be unique within each question</tool_use_error>",
    },
  ]);
  expect(textOf(messages)).toBe("so be it");
});

test("a plan is written, shown, agreed to, and then carried out", async () => {
  using home = temporaryHome();
  let planFile = "";
  await using model = await startMockModel([
    (body: any) => {
      planFile = /may write is the plan, (\S+\.md)\./.exec(JSON.stringify(body.messages))![1]!;
      return {
        calls: [
          { name: "Write", input: { file_path: planFile, content: "1. Make it" } },
          { name: "Write", input: { file_path: join(home.project, "early"), content: "" } },
        ],
      };
    },
    call("ExitPlanMode"),
    call("ExitPlanMode"),
    call("Write", { file_path: join(home.project, "made"), content: "" }),
    { text: "made" },
  ]);
  const asked: [string, Record<string, unknown>][] = [];
  let agreed = 0;
  const messages = await read(
    query({
      prompt: "make it",
      options: {
        ...door(home, model),
        permissionMode: "plan",
        canUseTool: async (name, input) => {
          asked.push([name, input]);
          if (name === "ExitPlanMode" && agreed++ > 0) return { behavior: "allow", updatedInput: input };
          if (input["file_path"] === join(home.project, "made")) return { behavior: "allow", updatedInput: input };
          return { behavior: "deny", message: "not like this" };
        },
      },
    }),
  );
  const exit = { plan: "1. Make it", planFilePath: planFile };
  expect(asked.map(([name, input]) => [name, name === "Write" ? input["file_path"] : input])).toEqual([
    ["Write", join(home.project, "early")],
    ["ExitPlanMode", exit],
    ["ExitPlanMode", exit],
    ["Write", join(home.project, "made")],
  ]);
  expect(planFile.startsWith(join(home.configDir, "plans"))).toBe(true);
  expect(readFileSync(planFile, "utf8")).toBe("1. Make it");
  expect(["early", "made"].map((name) => existsSync(join(home.project, name)))).toEqual([false, true]);
  expect(told(model.requests[2]!)).toMatchObject([{ is_error: true, content: "not like this" }]);
  const [approved, over] = told(model.requests[3]!);
  expect(approved.content).toStartWith(`User has approved your plan. You can now start coding. `);
  expect(approved.content).toContain(planFile);
  expect(over.text).toContain("Plan mode is off.");
  expect(modes(messages)).toEqual(["default"]);
  expect(outputs(messages).at(-2)).toEqual({ plan: "1. Make it", isAgent: false, filePath: planFile });

  const entries = readTranscript(home) as any[];
  const attachments = entries.flatMap(({ attachment }) => (attachment ? [attachment] : []));
  expect(attachments.filter(({ type }) => type.startsWith("plan_mode"))).toEqual([
    { type: "plan_mode", planFilePath: planFile, planExists: false },
    { type: "plan_mode_exit", planFilePath: planFile, planExists: true },
  ]);
  const slug = planFile.split("/").at(-1)!.replace(".md", "");
  expect(new Set(entries.filter(({ uuid }) => uuid).map((entry) => entry.slug))).toEqual(new Set([slug]));
});

test("the model may turn to planning itself; the application may change the plan, the mode and the workflow", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    call("ExitPlanMode"),
    call("EnterPlanMode"),
    call("ExitPlanMode", { plan: "mine" }),
    { text: "off we go" },
  ]);
  const messages = await read(
    query({
      prompt: "make it",
      options: {
        ...door(home, model),
        planModeInstructions: "Draw first.",
        canUseTool: async () => ({
          behavior: "allow",
          updatedInput: { plan: "ours" },
          updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
        }),
      },
    }),
  );
  expect(told(model.requests[1]!)[0].content).toContain("<tool_use_error>You are not in plan mode. ");
  const [begun, reminder] = told(model.requests[2]!);
  expect(begun.content).toContain("Plan mode is on");
  expect(reminder.text).toContain("Draw first.");
  expect(told(model.requests[3]!)[0].content).toEndWith("This is the approved version:\n\nours");
  expect(modes(messages)).toEqual(["plan", "acceptEdits"]);
  expect(outputs(messages).at(-1)).toMatchObject({ plan: "ours", planWasEdited: true });
});

test("without anybody to ask the tools are not offered, and planning ends with an answer", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    call("AskUserQuestion", { questions }),
    call("ExitPlanMode", {}),
    { text: "the plan" },
  ]);
  const ended = await runKeelson(["-p", ...STREAM, "--permission-mode", "plan", "think"], { home, url: model.url });
  const [init] = messagesOf(ended, "system/init");
  const offered: string[] = model.requests[0]!.body.tools.map(({ name }: any) => name);
  for (const name of ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"]) {
    expect(init.tools).not.toContain(name);
    expect(offered).not.toContain(name);
  }
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("End with the plan as your answer");
  expect(model.requests.slice(1).map((request) => told(request)[0].content)).toEqual([
    "<tool_use_error>Error: No such tool available: AskUserQuestion. No one can answer here: decide yourself, and say at the end what you assumed.</tool_use_error>",
    "<tool_use_error>Error: No such tool available: ExitPlanMode. No one can approve a plan here: end with the plan as your answer.</tool_use_error>",
  ]);
  expect(ended.code).toBe(0);
});

test("a resumed session goes on with its plan, and hears of the mode only when it changed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]);
  const options = { home, url: model.url };
  const reminders = (at: number) =>
    JSON.stringify(model.requests[at]!.body.messages).match(/Plan mode is (on|off)/g) ?? [];
  await runKeelson(["-p", "--permission-mode", "plan", "one"], options);
  await runKeelson(["-p", "--permission-mode", "plan", "-c", "two"], options);
  expect(reminders(1)).toEqual(["Plan mode is on"]);
  await runKeelson(["-p", "-c", "three"], options);
  expect(reminders(2)).toEqual(["Plan mode is on", "Plan mode is off"]);
  await runKeelson(["-p", "-c", "--fork-session", "--permission-mode", "plan", "four"], options);
  expect(reminders(3)).toEqual(["Plan mode is on", "Plan mode is off", "Plan mode is on"]);
});
