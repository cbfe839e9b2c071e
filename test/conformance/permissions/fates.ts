// What becomes of the calls of an agent, whatever its kind: run, asked about, or refused, and in which words.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import {
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, prompt, told } from "../../sessions/front-door.ts";
import { startHere, type Program } from "../here.ts";
import { castOf, commitAll, requestsOf, type Kind } from "../kinds.ts";

export interface Fate {
  readonly call: string;
  readonly fate: "runs" | "asked" | "refused";
  /** What the model reads. */
  readonly text: string;
}

export interface Circumstances {
  readonly settings?: object;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the model says to everyone else: the classifier. */
  readonly aside?: readonly ScriptedReply[];
  /** Prepares the home, and tells the calls. */
  calls(home: TemporaryHome): readonly ScriptedCall[];
}

/** Every question is answered with no. Tools that this kind does not have are not called. */
export async function fatesOf(
  kind: Kind,
  { settings = {}, flags = [], env, aside, calls }: Circumstances,
  start: typeof startHere = startHere,
): Promise<readonly Fate[]> {
  using home = temporaryHome({ git: kind.isolated === true });
  const wanted = calls(home).map((call, at) => ({ id: `call_1_${at + 1}`, ...call }));
  const made = wanted.filter(({ name }) => kind.tools?.includes(name) ?? true);
  home.settings({ ...kind.settings, ...settings, ...(kind.hooks ? { hooks: kind.hooks } : {}) });
  for (const [path, text] of Object.entries(kind.files ?? {})) home.write(path, text);
  if (kind.isolated) commitAll(home);
  const plain = (text: string) => text.replaceAll(COPY, "").replaceAll(home.root, "<root>");
  await using model = await startMockModel(castOf(kind, [{ calls: made }, { text: "done" }], aside));
  const program = start(["-p", ...CHAT, "--permission-prompt-tool", "stdio", ...flags], {
    home,
    url: model.url,
    env: { CLAUDE_CODE_SHELL: idleShell(home), IS_SANDBOX: "1", ...kind.env, ...env },
    stdin: "open",
  });
  const asked = await questionsOf(program, kind);
  await program.done;
  const second = requestsOf(kind, model.requests).own[1];
  if (!second) throw new Error(`The ${kind.name} said nothing about its calls`);
  const results = new Map(told(second).map((block) => [block.tool_use_id, block]));
  return made.map(({ id, name, input }): Fate => {
    const { is_error, content } = results.get(id);
    const fate = asked.includes(id) ? "asked" : is_error ? "refused" : "runs";
    return { call: `${name} ${plain(JSON.stringify(input))}`, fate, text: plain(String(content)) };
  });
}

const COPY = /\/\.claude\/worktrees\/agent-a[0-9a-f]{16}/g;

/** Called bash, and does nothing: what a table says is judged and never run. */
function idleShell(home: TemporaryHome): string {
  const path = join(home.root, "idle", "bash");
  mkdirSync(join(home.root, "idle"));
  writeFileSync(path, "#!/bin/sh\nexit 0\n");
  chmodSync(path, 0o755);
  return path;
}

/** Says no to every question until the session is done; the calls that were asked about. */
async function questionsOf(program: Program, { typed, results = 1 }: Kind): Promise<string[]> {
  const asked: string[] = [];
  program.send(prompt(typed));
  for (let after, left = results; left > 0;) {
    const line = await program.waitForLine(
      ({ type, request }: JsonObject & { request?: any }) => type === "result" || request?.subtype === "can_use_tool",
      after ? { after } : {},
    );
    after = line;
    const { type, request_id: id, request } = line.json;
    if (type === "result") left--;
    else {
      asked.push(request.tool_use_id);
      program.send(answer(id, { behavior: "deny", message: "no" }));
    }
  }
  program.closeStdin();
  return asked;
}
