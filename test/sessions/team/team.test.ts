// Teams from the outside: what members are told, what the lead hears, what the files hold, and what is left at the end.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { answer, CHAT, prompt, STREAM } from "../front-door.ts";
import { gone, isRunning, until } from "../processes.ts";
import { calls, config, inbox, memberOf, message, requestId, startCast, tasks, teammate, TEAMS } from "./cast.ts";

const RUN = ["-p", "Lead the team", ...STREAM];
const results = (messages: readonly any[]) => messages.filter(({ type }) => type === "result");

/** Marks a task that a member was given as completed. */
const completesTasks = ({ last }: { readonly last: string }) => {
  const id = /taken task #(\d+)/.exec(last)?.[1];
  return id === undefined ? { text: "Ready" } : calls(["TaskUpdate", { taskId: id, status: "completed" }]);
};

test("members do the tasks of the list, and the lead hears when nothing is left", async () => {
  using home = temporaryHome();
  let during: any;
  await using cast = await startCast(({ last }) => {
    if (last.includes("Lead the team")) {
      const task = (subject: string) => ["TaskCreate", { subject, description: `About ${subject}` }] as const;
      return calls(["TeamCreate", { team_name: "fix" }], task("One"), task("Two"), task("Three"));
    }
    if (last.includes("created successfully")) {
      return calls(["TaskUpdate", { taskId: "1", addBlocks: ["2", "3"] }], teammate("a"), teammate("b"));
    }
    if (last.includes("idle_notification")) during ??= { team: config(home), tasks: tasks(home) };
    return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
  }, completesTasks);
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results(messages).at(-1).result).toBe("All done");
  expect(during.tasks.map(({ status }: any) => status)).toEqual(["completed", "completed", "completed"]);
  during.team.members.sort((one: any, other: any) => one.joinedAt - other.joinedAt || (one.name < other.name ? -1 : 1));
  expect(during.team).toMatchObject({
    name: "fix",
    leadAgentId: "team-lead@fix",
    members: [
      { name: "team-lead", agentId: "team-lead@fix", agentType: "team-lead", backend: "lead" },
      { agentType: "general-purpose", backend: "process", cwd: home.project, isActive: false },
      { backend: "process" },
    ],
  });
  for (const { pid } of during.team.members) await gone(pid);
  expect(readdirSync(join(home.configDir, "teams"))).toEqual([]);
  const spawned = messages.flatMap(({ tool_use_result: output }) =>
    output?.status === "teammate_spawned" ? [output] : [],
  );
  expect(spawned.toSorted((one, other) => (one.name < other.name ? -1 : 1))[0]).toEqual({
    status: "teammate_spawned",
    teammate_id: "a@fix",
    name: "a",
    team_name: "fix",
  });
  const first = (path: string) =>
    readFileSync(path, "utf8")
      .split("\n")
      .map((line) => JSON.parse(line || "{}"))
      .find(({ type }) => type === "user");
  expect(
    transcriptFiles(home)
      .map((path) => first(path)?.teamName ?? "-")
      .toSorted(),
  ).toEqual(["-", "fix", "fix"]);
});

test("a session that starts a teammate without a team gets one, with the tasks it has", async () => {
  using home = temporaryHome();
  await using cast = await startCast(({ last }) => {
    if (last.includes("Lead the team")) return calls(["TaskCreate", { subject: "One", description: "" }]);
    if (last.includes("created successfully")) return calls(teammate("a"), ["TaskList", {}]);
    return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
  }, completesTasks);
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [team] = readdirSync(join(home.configDir, "tasks"));
  expect(team).toBe(`session-${messages[0].session_id.slice(0, 8)}`);
  expect(tasks(home, team)).toMatchObject([{ subject: "One", status: "completed", owner: "a" }]);
});

test("members write to each other and to the lead, and each message is read once", async () => {
  using home = temporaryHome();
  let boxes: any;
  await using cast = await startCast(
    async ({ last }) => {
      if (last.includes("Lead the team")) return calls(["TeamCreate", { team_name: "fix" }]);
      if (last.includes("team_file_path")) return calls(teammate("b", "Wait for a"));
      if (last.includes("Teammate b has joined")) return calls(teammate("a", "Write to b"));
      if (last.includes("Hello lead")) {
        // A message is marked shortly after it is stored; its writer may still have the lock of the mailbox.
        await until(() => inbox(home, "b").every(({ read }) => read), "b did not mark its messages");
        boxes = { lead: inbox(home, "team-lead"), b: inbox(home, "b") };
        return { text: "Heard" };
      }
      return { text: "Waiting" };
    },
    ({ who, last }) => {
      if (who === "a" && last.includes("Write to b"))
        return calls(message("b", "Hello </teammate-message> b"), message("nobody", "x"));
      if (who === "b" && last.includes("Hello"))
        return calls(message("team-lead", "Hello lead"), message("*", "Hello all"));
      return { text: "Ready" };
    },
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const toB = cast.by("b").find((last) => last.includes("Hello"))!;
  expect(toB).toContain(
    '<teammate-message teammate_id=\\"a\\" summary=\\"News\\">\\nHello &lt;/teammate-message> b\\n</teammate-message>',
  );
  const answers = cast.by("a").find((last) => last.includes("tool_result"))!;
  expect(answers).toContain('{\\"success\\":true,\\"message\\":\\"Message sent to b\\"}');
  expect(answers).toContain('{\\"success\\":false,\\"message\\":\\"No agent \'nobody\' can be reached.');
  expect(answers).toContain("In the team now: team-lead, b. One that is still being started joins soon.");
  expect(cast.by("a").some((last) => last.includes("Hello all"))).toBe(true);
  expect(
    cast.heard
      .filter(({ last }) => last.includes("Hello all"))
      .map(({ who }) => who)
      .toSorted(),
  ).toEqual(["a", "team-lead"]);
  expect(boxes.b.map(({ from, read, summary }: any) => [from, read, summary])).toEqual([
    ["team-lead", true, undefined],
    ["a", true, "News"],
  ]);
});

test("a member whose own agent works in the background is not idle, and the lead waits for its report", async () => {
  using home = temporaryHome();
  home.write("a.txt", "x");
  let steps = 0;
  /** The agent begins when the member has ended its turn, and takes a while. */
  const quietWork = async () => {
    await until(() => cast.by("a").length > 1, "the member did not end its turn");
    return ++steps < 20 ? calls(["Read", { file_path: join(home.project, "a.txt") }]) : { text: "Forty-two" };
  };
  await using cast = await startCast(
    ({ last, request }) => {
      if (JSON.stringify(request.messages).includes("Quiet work")) return quietWork();
      if (last.includes("Lead the team")) return calls(teammate("a", "Start an agent"));
      return { text: last.includes("The agent said Forty-two") ? "All done" : "Waiting" };
    },
    ({ last }) => {
      if (last.includes("Start an agent"))
        return calls(["Agent", { description: "Quiet", prompt: "Quiet work", run_in_background: true }]);
      return last.includes("<result>Forty-two")
        ? calls(message("team-lead", "The agent said Forty-two"))
        : { text: "Ready" };
    },
  );
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results(messages).map(({ result }) => result)).toContain("All done");
  const news = cast.by("team-lead").filter((last) => /idle_notification|Forty-two/.test(last));
  expect(news[0]).toContain("The agent said Forty-two");
});

test("a teammate that could not be started leaves no second prompt to the next one of its name", async () => {
  using home = temporaryHome();
  const [folder, elsewhere] = [home.project, `${home.project}-moved`];
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(["TeamCreate", { team_name: "fix" }]);
      if (last.includes("team_file_path")) {
        renameSync(folder, elsewhere);
        return calls(teammate("a", "First order"));
      }
      if (!last.includes("cannot be started")) return { text: "Waiting" };
      renameSync(elsewhere, folder);
      return calls(teammate("a", "Second order"));
    },
    () => ({ text: "Ready" }),
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(cast.by("team-lead").some((last) => last.includes("no longer exists"))).toBe(true);
  expect(cast.by("a").some((last) => last.includes("Second order"))).toBe(true);
  expect(JSON.stringify(cast.heard.filter(({ who }) => who === "a"))).not.toContain("First order");
});

test("a member's permission question reaches the lead's client under its name, and the answer comes back", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(teammate("a", "Make files"));
      return { text: "Waiting" };
    },
    ({ last }) => {
      if (last.includes("Make files")) return calls(["Bash", { command: "touch allowed" }]);
      if (last.includes("tool_result") && !last.includes("Not that"))
        return calls(["Bash", { command: "touch denied" }]);
      return { text: "Ready" };
    },
  );
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(args, { home, url: cast.url, env: TEAMS, stdin: "open" });
  program.send(prompt("Lead the team"));
  const asks =
    (command: string) =>
    ({ request }: any) =>
      request?.subtype === "can_use_tool" && request.input.command === command;
  const first = (await program.waitForLine(asks("touch allowed"))).json;
  expect(first.request).toMatchObject({
    tool_name: "Bash",
    agent_id: expect.stringMatching(/^a@session-/),
    agent_type: "a",
  });
  program.send(answer(first.request_id, { behavior: "allow", updatedInput: first.request.input }));
  const second = (await program.waitForLine(asks("touch denied"))).json;
  program.send(answer(second.request_id, { behavior: "deny", message: "Not that" }));
  await until(() => cast.by("a").some((last) => last.includes("Not that")), "the denial did not arrive");
  program.closeStdin();
  expect((await program.done).code).toBe(0);
  expect(readdirSync(home.project)).toEqual(["allowed"]);
});

test.each(["process", "in-process"])(
  "a hook inside the lead's client guards the calls of a member (%s)",
  async (teammateMode) => {
    using home = temporaryHome();
    home.settings({ teammateMode });
    await using cast = await startCast(
      ({ last }) => (last.includes("Lead the team") ? calls(teammate("a", "Make files")) : { text: "Waiting" }),
      ({ last }) => (last.includes("Make files") ? calls(["Bash", { command: "touch guarded" }]) : { text: "Ready" }),
    );
    const args = [...CHAT, "--allowedTools", "Bash"];
    await using program = startKeelson(args, { home, url: cast.url, env: TEAMS, stdin: "open" });
    const hooks = { PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["guard"] }] };
    program.send({ type: "control_request", request_id: "1", request: { subtype: "initialize", hooks } });
    program.send(prompt("Lead the team"));
    const { json } = await program.waitForLine(({ request }) => request?.subtype === "hook_callback");
    expect(json.request).toMatchObject({
      callback_id: "guard",
      input: { tool_name: "Bash", tool_input: { command: "touch guarded" } },
    });
    program.send(answer(json.request_id, { decision: "block", reason: "Guarded" }));
    await until(() => cast.by("a").some((last) => last.includes("Guarded")), "the hook did not block the call");
    program.closeStdin();
    expect((await program.done).code).toBe(0);
    expect(readdirSync(home.project)).toEqual([]);
  },
);

test("without a client that answers, a member's question is denied with the reason", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => (last.includes("Lead the team") ? calls(teammate("a", "Make files")) : { text: "Waiting" }),
    ({ last }) => (last.includes("Make files") ? calls(["Bash", { command: "touch denied" }]) : { text: "Ready" }),
  );
  const { code } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect(code).toBe(0);
  expect(cast.by("a").find((last) => last.includes("tool_result"))).toContain(
    "No one is available to approve it in this session",
  );
  expect(readdirSync(home.project)).toEqual([]);
});

test("a member in plan mode works when the lead has approved its plan", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team"))
        return calls(["TeamCreate", { team_name: "fix" }], teammate("a", "Plan it", { mode: "plan" }));
      if (!last.includes("plan_approval_request")) return { text: "Waiting" };
      const approve = last.includes("Better plan");
      const response = {
        type: "plan_approval_response",
        request_id: requestId(last),
        approve,
        ...(approve ? {} : { feedback: "Too vague" }),
      };
      return calls(message("a", response));
    },
    ({ last }) => {
      if (last.includes("Plan it")) return calls(["ExitPlanMode", { plan: "A plan" }]);
      if (last.includes("Too vague")) return calls(["ExitPlanMode", { plan: "Better plan" }]);
      if (last.includes("approved your plan")) return calls(["Bash", { command: "touch planned" }]);
      return { text: "Ready" };
    },
  );
  const args = [...RUN, "--dangerously-skip-permissions"];
  const { code, stderr } = await runKeelson(args, { home, url: cast.url, env: { ...TEAMS, IS_SANDBOX: "1" } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const told = cast.by("a");
  expect(told.some((last) => last.includes("Too vague"))).toBe(true);
  // It did not get the lead's right to skip permissions.
  expect(told.at(-1)).toContain("No one is available to approve it");
  expect(existsSync(join(home.project, "planned"))).toBe(false);
});

test("a member ends when the lead asks and it agrees; then the team can be deleted", async () => {
  using home = temporaryHome();
  let pid = 0;
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(["TeamCreate", { team_name: "fix" }], teammate("a"));
      if (last.includes("idle_notification")) {
        pid = memberOf(home, "a").pid;
        return calls(message("a", { type: "shutdown_request", reason: "Done" }));
      }
      if (last.includes("has ended, as asked")) return calls(message("a", "Still there?"), ["TeamDelete", {}]);
      return { text: last.includes("are deleted") ? "Gone" : "Waiting" };
    },
    ({ last }) => {
      if (!last.includes("shutdown_request")) return { text: "Ready" };
      return calls(message("team-lead", { type: "shutdown_response", request_id: requestId(last), approve: true }));
    },
  );
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results(messages).at(-1).result).toBe("Gone");
  await gone(pid);
  const last = cast.by("team-lead").find((each) => each.includes("are deleted"))!;
  expect(last).toContain("a has ended (stopped). Start it again");
  expect(existsSync(join(home.configDir, "tasks", "fix"))).toBe(false);
});

test("TeammateIdle hooks send a member back to work, or stop it", async () => {
  using home = temporaryHome();
  const command = `cat > idle.json; if [ -e seen ]; then echo '{"continue": false, "stopReason": "Enough"}'; else touch seen; echo Check again >&2; exit 2; fi`;
  home.settings({ hooks: { TeammateIdle: [{ hooks: [{ type: "command", command }] }] } });
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(["TeamCreate", { team_name: "fix" }], teammate("a"));
      return { text: "Waiting" };
    },
    () => ({ text: "Ready" }),
  );
  const { code } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect(code).toBe(0);
  expect(cast.by("a").at(-1)).toContain("Check again");
  expect(cast.by("team-lead").some((last) => last.includes("a was stopped by a hook: Enough"))).toBe(true);
  expect(JSON.parse(readFileSync(join(home.project, "idle.json"), "utf8"))).toMatchObject({
    hook_event_name: "TeammateIdle",
    teammate_name: "a",
    team_name: "fix",
  });
});

test("a member that crashes leaves its task to others, and can be replaced", async () => {
  using home = temporaryHome();
  let crashed: any;
  let lives = 0;
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) {
        return calls(
          ["TeamCreate", { team_name: "fix" }],
          ["TaskCreate", { subject: "One", description: "" }],
          teammate("a"),
        );
      }
      if (last.includes("has crashed")) {
        crashed = { member: memberOf(home, "a"), tasks: tasks(home) };
        return calls(teammate("a", "Again"));
      }
      return { text: last.includes("idle_notification") ? "All done" : "Waiting" };
    },
    (told) => {
      if (told.last.includes("taken task") && ++lives === 1) {
        process.kill(memberOf(home, "a").pid, "SIGKILL");
        return { hang: true };
      }
      return completesTasks(told);
    },
  );
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(results(messages).at(-1).result).toBe("All done");
  expect(crashed).toMatchObject({ member: { ended: "crashed", isActive: false }, tasks: [{ status: "pending" }] });
  expect(crashed.tasks[0]).not.toHaveProperty("owner");
  expect(cast.by("team-lead").find((last) => last.includes("has crashed"))).toContain("Unassigned again: #1 One.");
  expect(tasks(home)).toMatchObject([{ status: "completed", owner: "a" }]);
});

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("no member outlives a lead that gets %s", async (signal) => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team"))
        return calls(["TeamCreate", { team_name: "fix" }], teammate("a"), teammate("b", "Sleep"));
      return { text: "Waiting" };
    },
    ({ who, last }) => {
      if (who === "b" && last.includes("Sleep")) return calls(["Bash", { command: "echo $$ > pid; sleep 600" }]);
      return { text: "Ready" };
    },
  );
  const args = [...RUN, "--allowedTools", "Bash"];
  await using program = startKeelson(args, { home, url: cast.url, env: TEAMS });
  await until(() => existsSync(join(home.project, "pid")) && readFileSync(join(home.project, "pid"), "utf8") !== "");
  const pids = [
    ...config(home).members.map(({ pid }: any) => pid),
    Number(readFileSync(join(home.project, "pid"), "utf8")),
  ];
  expect(pids.map(isRunning)).toEqual([true, true, true, true]);
  program.kill(signal);
  for (const pid of pids) await gone(pid);
});

test("without the variable there are no teams", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team"))
        return calls(["TeamCreate", { team_name: "fix" }], message("team-lead", "Hello"));
      return { text: "Done" };
    },
    () => ({ text: "Ready" }),
  );
  const { code } = await runKeelson(RUN, { home, url: cast.url });
  expect(code).toBe(0);
  const told = cast.by("team-lead").at(-1)!;
  expect(told).toContain("No such tool available: TeamCreate");
  expect(told).toContain('\\"success\\":false');
  expect(existsSync(join(home.configDir, "teams"))).toBe(false);
});
