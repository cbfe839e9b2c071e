// A scripted team: who asks the model is known from the request, and each has a script of its own.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, type ScriptedReply, type TemporaryHome } from "@keelson/testkit";

export const TEAMS = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };

/** What the model was just told, and whether it is about this. */
export interface Told {
  readonly who: string;
  /** The content of the last message, as JSON. */
  readonly last: string;
  readonly request: any;
}

export type Script = (told: Told) => ScriptedReply | Promise<ScriptedReply>;

/** Plays the lead with one script and all members with another. */
export async function startCast(lead: Script, member: Script) {
  const heard: Told[] = [];
  const model = await startMockModel((request: any) => {
    const who = /You are ([^\s,]+), a member of the team/.exec(JSON.stringify(request.messages))?.[1] ?? "team-lead";
    const told = { who, last: JSON.stringify(request.messages.at(-1).content), request };
    heard.push(told);
    return (who === "team-lead" ? lead : member)(told);
  });
  return {
    url: model.url,
    heard,
    by: (who: string) => heard.filter((told) => told.who === who).map(({ last }) => last),
    [Symbol.asyncDispose]: () => model.close(),
  };
}

export const calls = (...made: readonly (readonly [string, object])[]): ScriptedReply => ({
  calls: made.map(([name, input]) => ({ name, input: input as never })),
});

export const teammate = (name: string, prompt = "Begin", more: object = {}) =>
  ["Agent", { description: name, prompt, name, team_name: "fix", ...more }] as const;
export const message = (to: string, text: string | object) =>
  ["SendMessage", { to, message: text, ...(typeof text === "string" ? { summary: "News" } : {}) }] as const;

/** The id in a structured message that the model was told. */
export const requestId = (last: string) => /request_id\\*":\\*"([^"\\]+)/.exec(last)?.[1] ?? "none";

export const config = (home: TemporaryHome, team = "fix") =>
  JSON.parse(readFileSync(join(home.configDir, "teams", team, "config.json"), "utf8"));
export const memberOf = (home: TemporaryHome, name: string) =>
  config(home).members.find((member: { name: string }) => member.name === name);
export const inbox = (home: TemporaryHome, name: string, team = "fix"): readonly any[] => {
  const path = join(home.configDir, "teams", team, "inboxes", `${name}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
};
export const tasks = (home: TemporaryHome, team = "fix"): readonly any[] => {
  const folder = join(home.configDir, "tasks", team);
  return readdirSync(folder)
    .filter((name) => /^\d+\.json$/.test(name))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .toSorted((a, b) => Number(a.id) - Number(b.id));
};
