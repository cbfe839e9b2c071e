// What is denied stays so on every road to another folder: folders that are added, moved into, linked or resumed in, worktrees of
// sessions, agents, teammates and pages, and editors with several folders. Each road is gone with every way to read a file.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, type ScriptedCall } from "@keelson/testkit";
import { startEditor } from "../acp/editor.ts";
import { control, messagesOf, STREAM, told } from "../front-door.ts";
import { calls as castCalls, startCast, teammate, TEAMS } from "../team/cast.ts";
import { startWeb } from "../web-page/web-client.ts";
import { repositoryHome, type RepositoryHome } from "./repository.ts";

const SECRET = "S3CRET-of-the-checkout";
const BENIGN = "plain-text-of-the-checkout";
/** Denied by a rule of the user with and without a folder, of the project from its root, and by an absolute one. */
const FILES = [".env", "config/key", "certs/a.pem", "abs/token"];

function home(): RepositoryHome {
  const made = repositoryHome({
    ".gitignore": ".env\nconfig/\ncerts/\nabs/\n",
    "notes.txt": `${BENIGN}\n`,
    "sub/deep/here.txt": "here\n",
    ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(/certs/**)"] } }),
  });
  for (const name of FILES) made.write(name, `${SECRET}\n`);
  const deny = ["Read(.env)", "Read(./config/key)", `Read(/${made.project}/abs/**)`];
  made.settings({ permissions: { deny } });
  return made;
}

const ALLOWED = ["--allowedTools", "Bash", "Read", "Grep", "EnterWorktree", "Agent", "TeamCreate"];
const call = (name: string, input: ScriptedCall["input"]): ScriptedCall => ({ name, input });
const bash = (command: string) => call("Bash", { command, description: "look" });
const steps = (calls: readonly ScriptedCall[]) => calls.map((each) => ({ calls: [each] }));

/** The last one is allowed. */
const ways = (folder: string): readonly ScriptedCall[] => [
  ...FILES.map((name) => call("Read", { file_path: join(folder, name) })),
  call("Grep", { pattern: "S3CRET", path: folder, output_mode: "content" }),
  bash(`cat ${folder}/.env ${folder}/*/key ${folder}/abs/token`),
  bash(`cd ${folder} && cat .en* config/* certs/* abs/*`),
  bash(`cd ${folder}/config && cat ../.env key ../certs/a.pem`),
  bash(`f=to; cat "${folder}"/abs/"$f"ken; awk 1 ${folder}/c*/*`),
  bash(`ln -s ${folder} around; cat around/.env around/config/key around/abs/token`),
  bash(`cp -r ${folder}/config taken; cat taken/key; tar cf - -C ${folder} . | grep -a S3C`),
  call("Read", { file_path: join(folder, "notes.txt") }),
];

const textsOf = (requests: readonly { readonly body: any }[]) =>
  requests.map((request) => JSON.stringify(told(request as any)));

interface Gone {
  readonly made: RepositoryHome;
  /** What the model sees of all this is returned. */
  run(
    scripted: readonly object[],
    args: readonly string[],
    more?: { readonly cwd?: string; readonly stdin?: readonly object[] },
  ): Promise<{ readonly texts: readonly string[]; readonly session: string }>;
}

const user = (content: string) => ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });

/** The project's own settings are not those of a session that begins elsewhere. */
const withoutSettings = (made: RepositoryHome) =>
  made.settings({
    permissions: {
      deny: ["Read(.env)", "Read(./config/key)", `Read(/${made.project}/abs/**)`, `Read(/${made.project}/certs/**)`],
    },
  });

/** Each returns what models were told. */
const ROADS: Readonly<Record<string, (gone: Gone) => Promise<readonly string[]>>> = {
  "the project as an added folder": async ({ made, run }) => {
    withoutSettings(made);
    const other = elsewhere(made, "other");
    return (await run(steps(ways(made.project)), ["-p", "go", "--add-dir", made.project], { cwd: other })).texts;
  },
  "a folder that is added": async ({ made, run }) => {
    const other = copyOf(made, "other");
    return (await run(steps(ways(other)), ["-p", "go", "--add-dir", other])).texts;
  },
  "a folder that is added while the session runs": async ({ made, run }) => {
    const other = copyOf(made, "other");
    const stdin = [control("1", { subtype: "initialize" }), user(`/add-dir ${other}`), user("go")];
    return (await run(steps(ways(other)), ["-p", "--input-format", "stream-json"], { stdin })).texts;
  },
  "/cd to a folder below": async ({ made, run }) => {
    const stdin = [user("/cd sub/deep"), user("go")];
    return (await run(steps(ways(made.project)), ["-p", "--input-format", "stream-json"], { stdin })).texts;
  },
  "/cd to another folder": async ({ made, run }) => {
    const stdin = [user(`/cd ${elsewhere(made, "other")}`), user("go")];
    return (await run(steps(ways(made.project)), ["-p", "--input-format", "stream-json"], { stdin })).texts;
  },
  "a command that moves": async ({ made, run }) =>
    (await run(steps([bash("cd sub/deep"), ...ways(made.project)]), ["-p", "go"])).texts,
  "through a link to the project": async ({ made, run }) => {
    const link = join(made.root, "link");
    symlinkSync(made.project, link);
    return (await run(steps(ways(link)), ["-p", "go"], { cwd: link })).texts;
  },
  "the project by a link from elsewhere": async ({ made, run }) => {
    withoutSettings(made);
    const other = elsewhere(made, "other");
    symlinkSync(made.project, join(other, "inner"));
    return (await run(steps(ways(join(other, "inner"))), ["-p", "go", "--add-dir", made.project], { cwd: other }))
      .texts;
  },
  "forked in another worktree": async ({ made, run }) => {
    const other = join(made.root, "other");
    made.git("worktree", "add", "-q", "-b", "other", other);
    const { session } = await run([{ text: "hello" }], ["-p", "hi"]);
    const args = ["-p", "go", "--resume", session, "--fork-session"];
    return (await run(steps(ways(made.project)), args, { cwd: other })).texts;
  },
  "a worktree that is begun below": async ({ made, run }) => {
    withoutSettings(made);
    const args = ["-p", "go", "--worktree", "fix"];
    return (await run(steps(ways(made.project)), args, { cwd: join(made.project, "sub") })).texts;
  },
  "a worktree in a worktree": async ({ made, run }) => {
    const other = join(made.root, "other");
    made.git("worktree", "add", "-q", "-b", "other", other);
    return (await run(steps(ways(made.project)), ["-p", "go", "--worktree", "fix"], { cwd: other })).texts;
  },
  "a worktree that a command makes": async ({ made, run }) => {
    const other = join(made.root, "made");
    const make = bash(`git worktree add -q -b made ${other}; cp -r .env config certs abs ${other}/; true`);
    return (await run(steps([make, ...ways(made.project)]), ["-p", "go"])).texts;
  },
  "a copy of the project that a command makes": async ({ made, run }) => {
    const other = join(made.root, "copied");
    return (
      await run(steps([bash(`mkdir ${other}; tar cf - . | tar xf - -C ${other}; true`), ...ways(other)]), ["-p", "go"])
    ).texts;
  },
  "an agent in a worktree that starts another": async ({ made, run }) => {
    const agent = (isolation: object) =>
      call("Agent", { description: "look", prompt: "look", subagent_type: "general-purpose", ...isolation });
    const script = [{ calls: [agent({ isolation: "worktree" })] }, ...steps(ways(made.project)), { text: "seen" }];
    return (await run(script, ["-p", "go"])).texts;
  },
  "an agent of a session in a worktree": async ({ made, run }) => {
    const agent = call("Agent", { description: "look", prompt: "look", subagent_type: "general-purpose" });
    const script = [{ calls: [agent] }, ...steps(ways(made.project)), { text: "seen" }];
    return (await run(script, ["-p", "go", "--worktree", "fix"])).texts;
  },
  "a teammate in the lead's worktree": async ({ made }) => {
    const left = [...ways(made.project)];
    await using cast = await startCast(
      ({ last }) => {
        if (last.includes("Lead the team")) return castCalls(["TeamCreate", { team_name: "fix" }], teammate("a"));
        return { text: "done" };
      },
      () => {
        const next = left.shift();
        return next ? { calls: [next] } : { text: "Seen" };
      },
    );
    const options = { home: made, url: cast.url, env: TEAMS };
    const args = ["-p", "Lead the team", ...STREAM, ...ALLOWED, "--worktree", "fix"];
    const flags = ["--settings", JSON.stringify({ teammateMode: "in-process" })];
    await runKeelson([...args, ...flags], options);
    expect(left).toEqual([]);
    return cast.by("a").slice(1);
  },
  "a worktree of the page": async ({ made }) => {
    await using model = await startMockModel([...steps(ways(made.project)), { text: "done" }] as any);
    await using web = await startWeb({ home: made, url: model.url, args: ALLOWED });
    const device = await web.signIn();
    using stream = device.stream(await device.begin({ worktree: true }));
    stream.prompt("go");
    await stream.until(({ type }) => type === "result");
    return textsOf(model.requests.slice(1));
  },
  "an editor with several folders": async ({ made }) => {
    const other = copyOf(made, "other");
    await using model = await startMockModel([
      ...steps([...ways(other), ...ways(made.project)]),
      { text: "done" },
    ] as any);
    await using editor = await startEditor({ home: made, url: model.url, args: ALLOWED });
    const { sessionId } = await editor.open({ additionalDirectories: [other] });
    await editor.prompt(sessionId, "go");
    return textsOf(model.requests.slice(1));
  },
  "an editor that loads a session with other folders": async ({ made }) => {
    const other = elsewhere(made, "other");
    await using model = await startMockModel([
      { text: "hello" },
      ...steps(ways(made.project)),
      { text: "done" },
    ] as any);
    await using editor = await startEditor({ home: made, url: model.url, args: ALLOWED });
    const { sessionId } = await editor.open({});
    await editor.prompt(sessionId, "hi");
    await editor.request("session/close", { sessionId });
    const place = { sessionId, cwd: made.project, mcpServers: [], additionalDirectories: [other] };
    expect((await editor.request("session/load", place)).error).toBeUndefined();
    await editor.prompt(sessionId, "go");
    return textsOf(model.requests.slice(2));
  },
};

/** A folder with nothing in it. */
function elsewhere(made: RepositoryHome, name: string): string {
  const folder = join(made.root, name);
  mkdirSync(folder);
  return folder;
}

/** With what is denied relative to a folder; the other rules name the project. */
function copyOf(made: RepositoryHome, name: string): string {
  const folder = elsewhere(made, name);
  mkdirSync(join(folder, "config"));
  for (const file of [".env", "config/key"]) writeFileSync(join(folder, file), `${SECRET}\n`);
  writeFileSync(join(folder, "notes.txt"), `${BENIGN}\n`);
  return folder;
}

test.each(Object.keys(ROADS))("what is denied stays so: %s", async (road) => {
  using made = home();
  const texts = await ROADS[road]!({
    made,
    async run(scripted, args, { cwd, stdin } = {}) {
      await using model = await startMockModel([...scripted, { text: "done" }] as any);
      const ended = await runKeelson([...args, ...STREAM, ...ALLOWED], {
        ...{ home: made, url: model.url },
        ...(cwd === undefined ? {} : { cwd }),
        ...(stdin === undefined ? {} : { stdin }),
      });
      const result = messagesOf(ended, "result").at(-1);
      expect(result.subtype).toBe("success");
      return { texts: textsOf(model.requests.slice(1)), session: result.session_id };
    },
  });
  expect(texts.length).toBeGreaterThan(FILES.length);
  expect(texts.filter((text) => text.includes(SECRET))).toEqual([]);
  // The rest can be read, so it was the rules that stopped it.
  expect(texts.some((text) => text.includes(BENIGN))).toBe(true);
});
