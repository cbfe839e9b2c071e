// For the tests of tasks: prompts, control requests, and commands that wait until the test lets them continue.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Running, ScriptedReply, TemporaryHome } from "@keelson/testkit";

export const OPEN = [
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--allowedTools",
  "Bash",
];

export const prompt = (content: string) => ({ type: "user", message: { role: "user", content } });

/** A command that runs until `go` names it. */
export const untilGo = (name: string, exit = 0) =>
  `echo ${name} began; touch ${name}.began; until [ -e ${name} ]; do sleep 0.01; done; echo ${name} ran; exit ${exit}`;
export const go = (home: TemporaryHome, name: string) => writeFileSync(join(home.project, name), "");

export const bash = (command: string, more: object = {}): ScriptedReply => ({
  calls: [{ name: "Bash", input: { command, ...more } }],
});

/** The messages about tasks, without what differs from run to run. */
export function taskMessages(messages: readonly any[]): any[] {
  return messages
    .filter(({ subtype }) => /^(task_|background_tasks)/.test(subtype ?? ""))
    .map(({ type: _, uuid: _uuid, session_id: _session, ...message }) => message);
}

/** Sends a control request and resolves to the response. */
export async function ask(running: Running, id: string, request: object): Promise<any> {
  running.send({ type: "control_request", request_id: id, request });
  const { json } = await running.waitForLine(
    ({ type, response }) => type === "control_response" && response.request_id === id,
  );
  return json.response.response ?? json.response;
}

/** What the model read last. */
export const said = ({ body }: { body: any }) => body.messages.at(-1).content;
