// What subagents may do: never more than the session, and what their files, their skills, answers and changes of the
// mode mean while they work.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, control, messagesOf, prompt, STREAM, told } from "../../front-door.ts";
import { addAgent, trust } from "../agent-home.ts";
import { agent, cast } from "../cast.ts";

const touch = (name: string): ScriptedCall => ({ name: "Bash", input: { command: `touch ${name}` } });
const skill = (name: string): ScriptedCall => ({ name: "Skill", input: { skill: name } });
const each = (...calls: readonly ScriptedCall[]) => calls.map((call) => ({ calls: [call] }));
const done = { text: "done" };

const made = (home: TemporaryHome, ...names: readonly string[]) =>
  names.filter((name) => existsSync(join(home.project, name)));

test("files of agents take away, and add no more than acceptEdits", async () => {
  using home = temporaryHome();
  trust(home);
  home.settings({ permissions: { allow: ["Bash(touch mine*)"] } });
  addAgent(home, "wide", { head: "permissionMode: bypassPermissions\ntools: Bash\n", folder: "~/.claude/agents" });
  addAgent(home, "edits", { head: "permissionMode: acceptEdits\n" });
  addAgent(home, "strict", { head: "permissionMode: plan\n" });
  addAgent(home, "part", { head: "disallowedTools: Bash(touch mine-too)\n" });
  await using model = await startMockModel(
    cast({
      main: [
        ...["wide", "edits", "strict", "part"].map((type) => ({
          calls: [agent(`Be ${type}`, { subagent_type: type })],
        })),
        { calls: [touch("mine-too")] },
        done,
      ],
      "Be wide": [...each(touch("wide"), touch("mine-wide")), done],
      "Be edits": [{ calls: [{ name: "Write", input: { file_path: "edits", content: "" } }] }, done],
      "Be strict": [{ calls: [{ name: "Write", input: { file_path: "strict", content: "" } }] }, done],
      "Be part": [...each(touch("mine-too"), touch("mine-part")), done],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(run.code).toBe(0);
  expect(made(home, "wide", "mine-wide", "edits", "strict", "mine-part", "mine-too")).toEqual([
    ...["mine-wide", "edits", "mine-part"],
    // The session's own call, at the end.
    "mine-too",
  ]);
  const reasons = messagesOf(run, "system/permission_denied").map(({ decision_reason_type: type }) => type);
  expect(reasons).toEqual(["other", "mode", "subcommandResults"]);
});

test("what a skill allows in an agent stays there, and its hooks and those of the agent's file end with it", async () => {
  using home = temporaryHome();
  trust(home);
  home.settings({ permissions: { allow: ["Skill"] } });
  home.write(
    ".claude/skills/paint/SKILL.md",
    "---\nname: paint\ndescription: Paints\nallowed-tools: Bash(touch *)\n---\nPaint it\n",
  );
  const log = (text: string) => `{type: command, command: "echo ${text} >> log"}`;
  addAgent(home, "painter", {
    head: `skills: paint\nhooks:\n  PreToolUse: [{hooks: [${log("agent")}]}]\n  Stop: [{hooks: [${log("end")}]}]\n`,
  });
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent("Paint some", { subagent_type: "painter" })] },
        { calls: [touch("after")] },
        { calls: [skill("paint")] },
        { calls: [agent("Look on", { subagent_type: "general-purpose" })] },
        done,
      ],
      // It has read the skill, which allows nothing before it is invoked.
      "Paint some": [...each(touch("early"), skill("paint"), touch("inside")), done],
      "Look on": [{ calls: [touch("beside")] }, done],
    }),
  );
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(made(home, "early", "inside", "after", "beside")).toEqual(["inside", "beside"]);
  expect(readFileSync(join(home.project, "log"), "utf8")).toBe("agent\nagent\nagent\nend\n");
});

test("an agent that continues is judged anew, whatever its file in the session says", async () => {
  using home = temporaryHome();
  addAgent(home, "reader", { head: "tools: Read\n" });
  addAgent(home, "forbidden");
  home.settings({ permissions: { deny: ["Agent(forbidden)"] } });
  const send = (to: string) => ({ calls: [{ name: "SendMessage", input: { to, message: "Go on", summary: "More" } }] });
  const edit = (change: object) => {
    const [project] = readdirSync(join(home.configDir, "projects"));
    const folder = join(home.configDir, "projects", project!);
    const path = (readdirSync(folder, { recursive: true }) as string[]).find((name) => name.endsWith(".meta.json"))!;
    const meta = JSON.parse(readFileSync(join(folder, path), "utf8"));
    writeFileSync(join(folder, path), JSON.stringify({ ...meta, ...change }));
    return /agent-(a[0-9a-f]+)\.meta/.exec(path)![1]!;
  };
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent("Read it", { subagent_type: "reader" })] },
        () => send(edit({ agentType: "forbidden" })),
        () => send(edit({ agentType: "general-purpose", permissionMode: "bypassPermissions", spawnDepth: -5 })),
        done,
        done,
      ],
      "Read it": [done, ...each(touch("more"), agent("Be deep")), done],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(run.stderr).toBe("");
  expect(made(home, "more")).toEqual([]);
  const texts = JSON.stringify(messagesOf(run, "user"));
  expect(texts).toContain("agents of type 'forbidden' may not be started");
  const { tools } = model.requests.find(({ body }) => JSON.stringify(body.messages.at(-1)).includes("Go on"))!.body;
  expect(tools.map(({ name }: any) => name)).not.toContain("Agent");
});

test("answers and modes hold for an agent at work from its next call on", async () => {
  using home = temporaryHome();
  const changed = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent("Work on")] }, { calls: [touch("b-main")] }, done],
      "Work on": [
        { calls: [touch("a1")] },
        { calls: [touch("a2")] },
        { calls: [touch("b1")] },
        { calls: [{ name: "Write", input: { file_path: "w1", content: "" } }] },
        async () => {
          reached.resolve();
          await changed.promise;
          return { calls: [{ name: "Write", input: { file_path: "w2", content: "" } }] };
        },
        done,
      ],
    }),
  );
  const args = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open" });
  program.send(prompt("Go"));
  const rules = (behavior: string, ruleContent: string) => ({
    updatedPermissions: [
      { type: "addRules", behavior, destination: "session", rules: [{ toolName: "Bash", ruleContent }] },
    ],
  });
  const asked: string[] = [];
  const answers = [
    { behavior: "allow", ...rules("allow", "touch a*") },
    { behavior: "allow", ...rules("deny", "touch b*") },
    { behavior: "deny", message: "no" },
  ];
  for (const given of answers) {
    const { json } = await program.waitForLine(
      ({ request }) => request?.subtype === "can_use_tool" && !asked.includes(request.tool_use_id),
    );
    asked.push(json.request.tool_use_id);
    program.send(answer(json.request_id, given));
  }
  await reached.promise;
  program.send(control("mode", { subtype: "set_permission_mode", mode: "acceptEdits" }));
  await program.waitForLine(({ type }) => type === "control_response");
  changed.resolve();
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  await program.done;
  // The second was asked about no more; the rule against b holds for the session too.
  expect(made(home, "a1", "a2", "b1", "w1", "w2", "b-main")).toEqual(["a1", "a2", "b1", "w2"]);
  expect(told(model.requests.at(-1)!)[0]).toMatchObject({ is_error: true });
});
