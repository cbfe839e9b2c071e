// How SDK tests reach the real program, in a home of their own and with a model that is played.

import type { Options, SDKMessage, SDKResultMessage } from "@keelson/sdk";
import type { MockModel, TemporaryHome } from "@keelson/testkit";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Options that lead to the program under test: $KEELSON_BIN, else the source tree. */
export function door(home: TemporaryHome, model: Pick<MockModel, "url">): Options {
  return {
    ...program(home),
    cwd: home.project,
    env: { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" },
  };
}

function program(home: TemporaryHome): Options {
  const built = process.env["KEELSON_BIN"];
  if (built) return { pathToKeelsonExecutable: built };
  const source = fileURLToPath(new URL("../../../packages/cli/src/bin.ts", import.meta.url));
  const config = join(home.root, "empty.toml");
  if (!existsSync(config)) writeFileSync(config, "");
  return {
    pathToKeelsonExecutable: process.execPath,
    executableArgs: ["--no-env-file", `--config=${config}`, source],
  };
}

/** Reads a query to its end. */
export async function read(query: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of query) messages.push(message);
  return messages;
}

export const resultsOf = (messages: readonly SDKMessage[]): SDKResultMessage[] =>
  messages.filter((message) => message.type === "result");

/** What the one run answered. */
export function textOf(messages: readonly SDKMessage[]): string | undefined {
  const [result] = resultsOf(messages);
  return result?.subtype === "success" ? result.result : undefined;
}

/** `type`, or `system/subtype`. */
export const kindOf = (message: SDKMessage): string =>
  message.type === "system" ? `system/${message.subtype}` : message.type;

/** A prompt for a stream of them. */
export const says = (content: string) =>
  ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null }) as const;

export { handedOut } from "../../handed-out.ts";
