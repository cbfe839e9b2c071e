// Policies × what a client may ask for × how it speaks to the session: whoever asks, and whatever was asked before, a policy takes
// the same away. The program runs once for each policy and kind of client, which tries everything, after it tried to turn the
// policy off.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, testUnless, type ScriptedReply, type TemporaryHome } from "@keelson/testkit";
import { readFrame } from "../../../packages/web/src/stream/read-frame.ts";
import { startHere, startOwned, startSecond, TALKS, type Program } from "../../conformance/here.ts";
import { startEditor } from "../acp/editor.ts";
import { answer, control, prompt, STREAM } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { fakeServer } from "../servers/fake.ts";

/** What a client tries to bring about. */
const MARKS = [
  ...["server of initialize", "server set", "agent", "plugin", "hook of plugin", "own hook", "hook in settings"],
  ...["rule in settings", "rule added", "rule saved", "rule with an answer", "broken rule with an answer"],
  ...["bypass", "bypass as an update", "auto"],
  ...["call of a denied tool"],
] as const;
type Mark = (typeof MARKS)[number];
const like = (...texts: readonly string[]) => MARKS.filter((mark) => texts.some((text) => mark.startsWith(text)));

const RULES = like("rule");
const BYPASS = like("bypass");
const SERVERS = like("server");

/** They are not possible for anyone. */
const NEVER: readonly Mark[] = ["broken rule with an answer", "call of a denied tool"];

interface Policy {
  readonly managed: object;
  readonly loses: readonly Mark[];
}

const POLICIES: Readonly<Record<string, Policy>> = {
  "no policy": { managed: {}, loses: [] },
  allowManagedHooksOnly: { managed: { allowManagedHooksOnly: true }, loses: ["hook of plugin", "hook in settings"] },
  allowManagedPermissionRulesOnly: { managed: { allowManagedPermissionRulesOnly: true }, loses: RULES },
  disableBypassPermissionsMode: {
    managed: { permissions: { disableBypassPermissionsMode: "disable" } },
    loses: BYPASS,
  },
  disableAutoMode: { managed: { disableAutoMode: "disable" }, loses: ["auto"] },
  disableSideloadFlags: {
    managed: { disableSideloadFlags: true },
    loses: [...SERVERS, "agent", "plugin", "hook of plugin"],
  },
  deniedMcpServers: {
    managed: { deniedMcpServers: [{ serverName: "begun" }, { serverName: "set" }] },
    loses: SERVERS,
  },
  strictPluginOnlyCustomization: {
    managed: { strictPluginOnlyCustomization: true },
    loses: ["hook in settings", ...SERVERS, "agent"],
  },
};

/** A client that undoes all of them in its settings. */
const UNDOING = [
  { allowManagedHooksOnly: false },
  { allowManagedPermissionRulesOnly: false },
  { permissions: { disableBypassPermissionsMode: null } },
  { disableAutoMode: null },
  { disableSideloadFlags: false },
  { deniedMcpServers: [] },
  { strictPluginOnlyCustomization: false },
  { disableAllHooks: false },
];

interface Kind {
  start(args: readonly string[], options: Parameters<typeof startHere>[1]): Program;
  /** What a client of this kind cannot ask for. */
  readonly cannot: readonly Mark[];
}

/** Of those who shape the session. */
const OF_FIRST = like("server of initialize", "plugin", "hook of plugin");

const KINDS: Readonly<Record<string, Kind>> = {
  "a pipe": { start: startHere, cannot: [] },
  "a client that attached second": { start: startSecond, cannot: OF_FIRST },
  "a client in another process": { start: startOwned, cannot: OF_FIRST },
  "a page": {
    start(args, options) {
      const program = startSecond(args, options);
      const refused = (id: string) => void unheard.add(id);
      const unheard = new Set<string>();
      return {
        ...program,
        send(message: any) {
          const read = readFrame(JSON.stringify({ uuid: crypto.randomUUID(), ...message }), "driver");
          if ("message" in read) program.send(read.message);
          else refused(message.request_id);
        },
        // It is answered at once, without the session.
        waitForLine: (accept, how) => {
          for (const request_id of unheard) {
            const json = { type: "control_response", response: { request_id, subtype: "error" } };
            if (accept(json as never, undefined as never)) return Promise.resolve({ json } as never);
          }
          return program.waitForLine(accept, how);
        },
      };
    },
    cannot: [
      ...[...OF_FIRST, "server set", "agent", "own hook", "hook in settings", "rule in settings", "rule added"],
      ...["rule saved", "bypass as an update"],
    ] as Mark[],
  },
};

const call = (name: string): ScriptedReply => ({
  calls: [{ name: "Bash", input: { command: `touch '${name}' made` } }],
});
const allow = (rule: string) => ({
  type: "addRules",
  behavior: "allow",
  rules: [{ toolName: "Bash", ruleContent: `touch '${rule}' made` }],
});

const BYPASS_UPDATE = { type: "setMode", mode: "bypassPermissions", destination: "session" };
const BYPASS_LATER = { ...BYPASS_UPDATE, destination: "userSettings" };
/** What may not come with an answer. What is no update at all makes the answer none. */
const WIDE: readonly unknown[] = [
  BYPASS_UPDATE,
  BYPASS_LATER,
  { ...BYPASS_LATER, mode: "__proto__" },
  { type: "setMode", mode: "anything" },
  { type: "addDirectories" },
  { type: "addRules", behavior: "allow", rules: null },
  null,
  "bypassPermissions",
];

function furnish(home: TemporaryHome) {
  const hooks = (name: string) => ({ Stop: [{ hooks: [{ type: "command", command: `touch '${name}'` }] }] });
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" });
  home.write("~/kit/hooks/hooks.json", { hooks: hooks("hook of plugin") });
  home.write("~/kit/commands/of-kit.md", "Say hello.");
  home.settings({ permissions: { deny: ["mcp__set__hidden"] } });
  return hooks;
}

/** Everything that a client can send, one after the other. Returns what came of it. */
async function marksOf({ start }: Kind, managed: object): Promise<readonly Mark[]> {
  using home = temporaryHome();
  const hooks = furnish(home);
  const begun = fakeServer(home, "begun", { tools: ["echo"] });
  const set = fakeServer(home, "set", { tools: ["echo", "hidden"] });
  const files = ["rule in settings", "rule added", "rule saved", "rule with an answer", "broken rule with an answer"];
  const calls = ["asked", "asked again", ...files].map(call);
  await using model = await startMockModel([...calls, { text: "done" }] as never);
  const flags = ["--allow-dangerously-skip-permissions", "--managed-settings", JSON.stringify(managed)];
  const program = start(["-p", ...STREAM, ...TALKS, ...flags], {
    home,
    url: model.url,
    env: { IS_SANDBOX: "1" },
    stdin: "open",
  });
  let last = 0;
  const ask = async (subtype: string, fields: object = {}) => {
    const id = `r${++last}`;
    program.send(control(id, { subtype, ...fields }));
    return ((await program.waitForLine(({ response }: any) => response?.request_id === id)).json as any).response;
  };
  const marks = new Set<Mark>();
  const mark = (name: Mark, holds: unknown) => void (holds && marks.add(name));
  const modeNow = async () => (await ask("get_session_info")).response.permission_mode;
  const back = () => ask("set_permission_mode", { mode: "default" });

  for (const settings of UNDOING) await ask("apply_flag_settings", { settings });
  await ask("initialize", { mcpServers: { begun: begun.entry } });
  await ask("initialize", { agents: { theirs: { description: "x", prompt: "y" } } });
  await ask("initialize", { plugins: [{ type: "local", path: join(home.home, "kit") }] });
  await ask("initialize", { hooks: { Stop: [{ hookCallbackIds: ["own"] }] } });
  await ask("mcp_set_servers", { servers: { set: set.entry } });
  await ask("apply_flag_settings", { settings: { hooks: hooks("hook in settings") } });
  const { rules } = allow("rule in settings");
  const text = `Bash(${rules[0]!.ruleContent})`;
  await ask("apply_flag_settings", { settings: { permissions: { allow: [text] } } });
  await ask("update_permissions", { updates: [{ ...allow("rule added"), destination: "session" }] });
  await ask("update_permissions", { updates: [{ ...allow("rule saved"), destination: "localSettings" }] });
  const called = await ask("mcp_call", { tool: "mcp__set__hidden", arguments: {} });
  mark("call of a denied tool", called.subtype === "success");

  program.send(prompt("go"));
  const answers: readonly object[] = [
    { behavior: "allow", updatedPermissions: [{ ...allow("rule with an answer"), destination: "session" }] },
    {
      behavior: "allow",
      updatedPermissions: [{ ...allow("broken rule with an answer"), destination: "policySettings" }],
    },
  ];
  let asked = 0;
  const seen = new Set<string>();
  for (;;) {
    const { json }: any = await program.waitForLine(
      ({ type, request_id }: any) => type === "result" || (type === "control_request" && !seen.has(request_id)),
    );
    if (json.type === "result") break;
    seen.add(json.request_id);
    const { request } = json;
    if (request.subtype === "hook_callback") {
      marks.add("own hook");
      program.send(answer(json.request_id, {}));
    } else program.send(answer(json.request_id, answers[asked++] ?? { behavior: "deny", message: "No" }));
  }
  for (const name of files as Mark[]) mark(name, existsSync(join(home.project, name)));
  for (const name of ["hook of plugin", "hook in settings"] as const) mark(name, existsSync(join(home.project, name)));
  const { response: facts } = await ask("initialize");
  mark(
    "plugin",
    facts.commands.some(({ name }: any) => name === "kit:of-kit"),
  );
  mark(
    "agent",
    facts.agents.some(({ name }: any) => name === "theirs"),
  );
  mark("server of initialize", begun.notes.length > 0);
  mark("server set", set.notes.length > 0);

  await ask("set_permission_mode", { mode: "bypassPermissions" });
  mark("bypass", (await modeNow()) === "bypassPermissions");
  await back();
  await ask("update_permissions", { updates: [BYPASS_UPDATE] });
  mark("bypass as an update", (await modeNow()) === "bypassPermissions");
  await back();
  await ask("set_permission_mode", { mode: "auto" });
  mark("auto", (await modeNow()) === "auto");
  await back();
  program.closeStdin();
  await program.done;
  return [...marks];
}

for (const [name, kind] of Object.entries(KINDS)) {
  test.each(Object.entries(POLICIES))(`what ${name} cannot do under %s`, async (_, { managed, loses }) => {
    const marks = await marksOf(kind, managed);
    const expected = new Set([...NEVER, ...kind.cannot, ...loses]);
    expect(MARKS.filter((each) => !marks.includes(each))).toEqual(MARKS.filter((each) => expected.has(each)));
  });

  test(`settings and answers of ${name} bring no mode that the session was not started for, now or later`, async () => {
    using home = temporaryHome();
    const calls = WIDE.map((_, at) => call(`call ${at}`));
    await using model = await startMockModel([...calls, call("last"), { text: "done" }] as never);
    const program = kind.start(["-p", ...STREAM, ...TALKS], {
      home,
      url: model.url,
      env: { IS_SANDBOX: "1" },
      stdin: "open",
    });
    const ask = async (id: string, subtype: string, fields: object = {}) => {
      program.send(control(id, { subtype, ...fields }));
      return ((await program.waitForLine(({ response }: any) => response?.request_id === id)).json as any).response;
    };
    const defaultMode = "bypassPermissions";
    await ask("a", "apply_flag_settings", { settings: { permissions: { defaultMode } } });
    const set = await ask("b", "set_permission_mode", { mode: defaultMode });
    expect(set).toMatchObject({ subtype: "error", error_code: "bypass_not_launched" });
    program.send(prompt("go"));
    const seen = new Set<string>();
    for (const update of [...WIDE, undefined]) {
      const question: any = (
        await program.waitForLine(({ type, request_id }: any) => type === "control_request" && !seen.has(request_id))
      ).json;
      seen.add(question.request_id);
      const denied = { behavior: "deny", message: "No" };
      const allowed = { behavior: "allow", updatedPermissions: [update] };
      program.send(answer(question.request_id, update === undefined ? denied : allowed));
    }
    await program.waitForLine(({ type }) => type === "result");
    const info = await ask("c", "get_session_info");
    expect(info.response.permission_mode).toBe("default");
    program.closeStdin();
    await program.done;
    expect(existsSync(join(home.home, ".claude/settings.json"))).toBe(false);
    // What asked for nothing that cannot be was a yes to its call, and nothing else.
    expect(WIDE.map((_, at) => existsSync(join(home.project, `call ${at}`)))).toEqual(
      WIDE.map((update) => update === BYPASS_UPDATE || update === BYPASS_LATER),
    );
  });
}

/** An editor asks for servers, folders and modes, and answers questions. */
testUnless(confinementMissing(), test).each(Object.entries(POLICIES))(
  "what an editor cannot do under %s",
  async (_, { managed, loses }) => {
    using home = temporaryHome();
    furnish(home);
    const place = join(home.root, "managed");
    home.write("../managed/managed-settings.json", managed);
    const set = fakeServer(home, "set", { tools: ["echo"] });
    await using model = await startMockModel([call("asked"), call("asked"), { text: "done" }] as never);
    const questions: any[] = [];
    await using editor = await startEditor({
      home,
      url: model.url,
      args: ["--allow-dangerously-skip-permissions"],
      env: { IS_SANDBOX: "1" },
      through: ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/etc", "--ro-bind", place, "/etc/claude-code", "--"],
      answer({ method, params }) {
        if (method !== "session/request_permission") return undefined;
        questions.push(params);
        const always = params.options.find(({ kind }: any) => kind === "allow_always");
        return { outcome: { outcome: "selected", optionId: always.optionId } };
      },
    });
    const entry = { name: "set", command: set.entry.command, args: [...set.entry.args], env: [] };
    const opened = await editor.request("session/new", { cwd: home.project, mcpServers: [entry] });
    const { sessionId } = opened.result ?? (await editor.open());
    const choose = (modeId: string) => editor.request("session/set_mode", { sessionId, modeId });
    const { result } = await editor.prompt(sessionId, "go");
    const isLost = (mark: Mark) => loses.includes(mark);
    expect([result.stopReason, set.notes.length === 0, questions.length]).toEqual([
      "end_turn",
      isLost("server set"),
      // The second call is asked about if the first answer added no rule.
      isLost("rule with an answer") ? 2 : 1,
    ]);
    expect((await choose("auto")).error !== undefined).toBe(isLost("auto"));
    expect((await choose("bypassPermissions")).error?.code).toBe(isLost("bypass") ? -32602 : undefined);
  },
);
