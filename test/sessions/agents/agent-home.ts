// What the agent tests share: files of agents, and short ways to read what came out.

import { runKeelson, startMockModel, type Ended, type RecordedRequest, type TemporaryHome } from "@keelson/testkit";
import { STREAM } from "../front-door.ts";

/** Writes an agent into the project; `~/…` for the user's own. Returns the file. */
export function addAgent(
  home: TemporaryHome,
  name: string,
  { head = "", body = `You are ${name}.`, folder = ".claude/agents", description = `Does ${name}` } = {},
): string {
  return home.write(`${folder}/${name}.md`, `---\nname: ${name}\ndescription: ${description}\n${head}---\n${body}\n`);
}

export function trust(home: TemporaryHome): void {
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
}

export interface AgentRun extends Ended {
  readonly requests: readonly RecordedRequest[];
}

/** One `-p` run against these replies. Without a prompt, none is given. */
export async function play(
  home: TemporaryHome,
  prompt: string | undefined,
  flags: readonly string[] = [],
  replies: readonly object[] = [{ text: "done" }],
): Promise<AgentRun> {
  await using model = await startMockModel(replies as never);
  const argv = ["-p", ...(prompt === undefined ? [] : [prompt]), ...STREAM, ...flags];
  const ended = await runKeelson(argv, { home, url: model.url });
  return { ...ended, requests: [...model.requests] };
}
