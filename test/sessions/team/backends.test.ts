// Where members run: in processes, in panes of tmux, or in the lead's own process. They behave the same.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { answer, CHAT, prompt, STREAM } from "../front-door.ts";
import { until } from "../processes.ts";
import { calls, memberOf, message, requestId, startCast, tasks, teammate, TEAMS } from "./cast.ts";

const RUN = ["-p", "Lead the team", ...STREAM];
const CREATE = ["TeamCreate", { team_name: "fix" }] as const;

test("in-process members do tasks, hear messages and end when asked", async () => {
  using home = temporaryHome();
  home.settings({ teammateMode: "in-process" });
  let member: any;
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team"))
        return calls(CREATE, ["TaskCreate", { subject: "One", description: "" }], teammate("a"));
      if (last.includes("Task done")) {
        member = memberOf(home, "a");
        return calls(message("a", { type: "shutdown_request" }));
      }
      return { text: last.includes("has ended, as asked") ? "All done" : "Waiting" };
    },
    ({ last }) => {
      if (last.includes("taken task"))
        return calls(["TaskUpdate", { taskId: "1", status: "completed" }], message("team-lead", "Task done"));
      if (!last.includes("shutdown_request")) return { text: "Ready" };
      return calls(message("team-lead", { type: "shutdown_response", request_id: requestId(last), approve: true }));
    },
  );
  const { code, stderr, messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(messages.at(-1)).toMatchObject({ type: "result", result: "All done" });
  expect(tasks(home)).toMatchObject([{ status: "completed", owner: "a" }]);
  expect(member).toMatchObject({ backend: "in-process" });
  // What it says is not part of the lead's stream.
  expect(messages.some((each) => each.session_id !== messages[0].session_id)).toBe(false);
});

test("in-process members ask the lead's client, and have no wider mode than it", async () => {
  using home = temporaryHome();
  home.settings({ teammateMode: "in-process" });
  await using cast = await startCast(
    ({ last }) => {
      if (last.includes("Lead the team")) return calls(teammate("a", "Make files", { mode: "bypassPermissions" }));
      return { text: "Waiting" };
    },
    ({ last }) => (last.includes("Make files") ? calls(["Bash", { command: "touch asked" }]) : { text: "Ready" }),
  );
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(args, { home, url: cast.url, env: TEAMS, stdin: "open" });
  program.send(prompt("Lead the team"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  expect(json.request).toMatchObject({ tool_name: "Bash", agent_type: "a" });
  program.send(answer(json.request_id, { behavior: "allow", updatedInput: json.request.input }));
  await until(() => existsSync(join(home.project, "asked")), "the command did not run");
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});

const noTmux = Bun.which("tmux") === null ? "tmux is not installed" : null;

/** A tmux server with one window of this size, in which the program believes to be. */
function startTmux(home: TemporaryHome, width: number, height: number) {
  const socket = join(home.root, "tmux");
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...home.env, TERM: "xterm" },
    });
  tmux("new-session", "-d", "-x", `${width}`, "-y", `${height}`, "sleep 600");
  return {
    TMUX: `${socket},${tmux("display-message", "-p", "#{pid}").trim()},0`,
    shown: (id: string) => tmux("capture-pane", "-p", "-t", id),
    panes: () => tmux("list-panes", "-s", "-F", "#{pane_id}").trim().split("\n"),
    [Symbol.dispose]: () => void tmux("kill-server"),
  };
}

testUnless(noTmux, test)("inside tmux, each member has a pane while it is there", async () => {
  using home = temporaryHome();
  using tmux = startTmux(home, 200, 80);
  let panes: string[] = [];
  await using cast = await startCast(
    async ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, teammate("a"));
      if (last.includes("Hello lead")) {
        panes = tmux.panes();
        await until(() => panes.some((id) => tmux.shown(id).includes("This is in my pane")), "nothing in the pane");
      }
      return { text: "Waiting" };
    },
    ({ last }) =>
      last.includes("Begin")
        ? { text: "This is in my pane\u001b[2J", ...calls(message("team-lead", "Hello lead")) }
        : { text: "Ready" },
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: { ...TEAMS, TMUX: tmux.TMUX } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(panes.length).toBe(2);
  await until(() => tmux.panes().length === 1, "the pane stayed");
});

testUnless(noTmux, test)("members that start together have panes, or windows if there is no room", async () => {
  using home = temporaryHome();
  using tmux = startTmux(home, 40, 10);
  const names = ["a", "b", "c", "d", "e", "f"];
  let panes: string[] = [];
  await using cast = await startCast(
    async ({ last }) => {
      if (last.includes("Lead the team")) return calls(CREATE, ...names.map((name) => teammate(name)));
      panes = tmux.panes().length > panes.length ? tmux.panes() : panes;
      return { text: "Waiting" };
    },
    async () => {
      await until(() => tmux.panes().length === names.length + 1, "not everyone has a pane");
      return { text: "Ready" };
    },
  );
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env: { ...TEAMS, TMUX: tmux.TMUX } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(panes).toHaveLength(names.length + 1);
  await until(() => tmux.panes().length === 1, "panes stayed");
});

test("a tmux that does not answer costs the panes, not the team", async () => {
  using home = temporaryHome();
  await using cast = await startCast(
    ({ last }) => (last.includes("Lead the team") ? calls(CREATE, teammate("a")) : { text: "Waiting" }),
    () => ({ text: "Ready" }),
  );
  const env = { ...TEAMS, TMUX: `${join(home.root, "none")},1,0` };
  const { code, stderr } = await runKeelson(RUN, { home, url: cast.url, env });
  expect(code).toBe(0);
  expect(stderr).toStartWith("warning: no panes for teammates: ");
  expect(cast.by("a").length).toBeGreaterThan(0);
  expect(readdirSync(join(home.configDir, "teams"))).toEqual([]);
});

test.each(["process", "in-process"])("%s: what members use is part of the lead's totals", async (teammateMode) => {
  using home = temporaryHome();
  home.settings({ teammateMode });
  await using cast = await startCast(
    ({ last }) => (last.includes("Lead the team") ? calls(CREATE, teammate("a")) : { text: "Waiting" }),
    ({ last }) => (last.includes("Begin") ? calls(["TaskList", {}]) : { text: "Ready" }),
  );
  const { messages } = await runKeelson(RUN, { home, url: cast.url, env: TEAMS });
  const { modelUsage, total_cost_usd: cost } = messages.findLast(({ type }) => type === "result")!;
  const [used] = Object.values(modelUsage) as any[];
  const replies = cast.heard.length;
  expect(cast.by("a").length).toBeGreaterThan(1);
  // Every scripted reply has the same usage.
  expect(used.inputTokens / replies).toBe(100);
  expect(cost).toBeCloseTo(used.costUSD);
});
