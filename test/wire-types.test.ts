// The types of the wire: the runtime cannot answer or show anything else, and under the names that the official SDK
// publishes they are what it declares.

import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import type { Message, Outbound, Signal } from "../packages/protocol/src/index.ts";
import { done, failed, type ControlHandler } from "../packages/runtime/src/controls/reply.ts";
import type { ControlRow } from "../packages/runtime/src/controls/table.ts";

const root = join(import.meta.dir, "..");

test("a reply or a message of the wrong shape does not compile", () => {
  const right: ControlHandler<"cancel_async_message"> = () => done({ cancelled: true });
  const refused: ControlHandler<"cancel_async_message"> = () => failed("no");
  // @ts-expect-error: the reply has a mode that does not exist
  const mode: ControlHandler<"set_permission_mode"> = () => done({ mode: "brave" });
  // @ts-expect-error: the reply has no payload
  const empty: ControlHandler<"get_session_cost"> = () => done();
  // @ts-expect-error: the row of another request
  const row: ControlRow<"get_usage"> = { now: right };
  // @ts-expect-error: what a client sent is not checked yet
  const trusting: ControlHandler<"rename_session"> = ({ title }) => failed(title);
  // @ts-expect-error: a status has a state
  const status: Signal = { type: "system", subtype: "status" };
  // @ts-expect-error: there is no such message
  const unknown: Message = { type: "system", subtype: "weather", uuid: "u", session_id: "s" };
  const text = (message: Outbound) =>
    message.type === "system" && message.subtype === "session_title_changed" ? message.title : undefined;
  const all = [right, refused, mode, empty, row, trusting, status, unknown, text];
  expect(all).toHaveLength(9);
});

/** Those that differ from the official declarations, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  ApiKeySource: "any provider may have a name",
  SDKSystemMessage: "with ApiKeySource",
  SDKAPIRetryMessage: "other providers fail in other ways",
  SDKControlGetContextUsageResponse: "the breakdown of the messages has fewer parts",
  SDKControlGetUsageResponse: "there are no plan limits",
  SDKRateLimitInfo: "what the server says is passed on as it is",
  SDKRateLimitEvent: "with SDKRateLimitInfo",
};

const OFFICIAL = "@anthropic-ai/claude-agent-sdk";
const folder = process.env["KEELSON_OFFICIAL_SDK"];
const declarations = folder === undefined ? "" : join(folder, "node_modules", OFFICIAL, "sdk.d.ts");
const absent = existsSync(declarations)
  ? null
  : "npm could not fetch the official SDK into the folder that KEELSON_OFFICIAL_SDK names";

testUnless(absent, test)("every message and reply that both publish is what the official SDK declares", async () => {
  const published = readFileSync(declarations, "utf8");
  const names = ["messages/system.ts", "messages/other.ts", "control/replies.ts"].flatMap((path) => {
    const source = readFileSync(join(root, "packages/sdk/src", path), "utf8");
    return [...source.matchAll(/^export type (\w+)\b(?!<)/gm)].map(([, name]) => name!);
  });
  const both = names.filter((name) => new RegExp(`^export declare (?:type|interface) ${name}\\b`, "m").test(published));
  expect(both.length).toBeGreaterThan(50);
  const proofs = both.flatMap((name) => [
    // What we send is what their applications expect, and what they send is what ours do.
    ...(name in DIFFERENT ? [] : [`export const ${name}_ours = (it: ours.${name}): official.${name} => it;`]),
    `export const ${name}_theirs = (it: official.${name}): ours.${name} => it;`,
  ]);
  const place = mkdtempSync(join(folder!, "wire-types-"));
  try {
    const text = [
      `import type * as official from ${JSON.stringify(declarations)};`,
      `import type * as ours from ${JSON.stringify(join(root, "packages/sdk/src/index.ts"))};`,
      ...proofs,
    ];
    await Bun.write(join(place, "proof.mts"), text.join("\n"));
    const compilerOptions = {
      ...{ target: "es2022", lib: ["esnext"], module: "preserve", moduleResolution: "bundler" },
      ...{ types: ["bun"], typeRoots: [join(root, "node_modules/@types")] },
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    };
    await Bun.write(join(place, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["proof.mts"] }));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const child = Bun.spawn([Bun.which("node")!, tsc, "--project", place], { stdout: "pipe", stderr: "pipe" });
    const printed = await child.stdout.text();
    expect(printed.split("\n").filter((line) => line.includes("proof.mts"))).toEqual([]);
  } finally {
    rmSync(place, { recursive: true });
  }
});
