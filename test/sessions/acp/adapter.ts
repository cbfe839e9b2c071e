// The official adapter for editors, which speaks to them and starts our program as a client of the SDK would.

import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { programCommand, type Failure, type ScriptedReply, type ScriptStep } from "@keelson/testkit";
import { startEditor, type Editor, type EditorOptions } from "./editor.ts";

const folder = process.env["KEELSON_EDITOR_PACKAGES"];
const packages = folder === undefined ? "" : join(folder, "node_modules");
const adapter = join(packages, "@agentclientprotocol/claude-agent-acp/dist/index.js");

/** Why there is none; null if there is one. */
export const noAdapter = existsSync(adapter)
  ? null
  : "npm could not fetch the packages into the folder that KEELSON_EDITOR_PACKAGES names";

/** An editor that starts the adapter. */
export function startAdapter(options: Omit<EditorOptions, "agent" | "args">): Promise<Editor> {
  const env = { CLAUDE_CODE_EXECUTABLE: executable(options), ...options.env };
  return startEditor({ ...options, env, agent: [process.execPath, adapter] });
}

/** The adapter asks for a title, too, when it likes. Such requests have no tools, and take nothing from the script. */
export function besideTitles(script: readonly ScriptStep<JsonObject>[]) {
  const left = [...script];
  return (request: JsonObject, number: number): ScriptedReply | Failure | Promise<ScriptedReply | Failure> => {
    if (request["tools"] === undefined) return { text: '{"title": "A title"}' };
    const step = left.shift();
    if (step === undefined) throw new Error(`The script has no reply for request ${number}`);
    return typeof step === "function" ? step(request, number) : step;
  };
}

/** The program as one file. */
export function executable({ home }: Pick<EditorOptions, "home">): string {
  const command = programCommand({ home });
  if (command.length === 1) return command[0]!;
  const file = home.write("~/program", `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(" ")} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
