// Asks in the terminal before the agent does anything: yes, no, or always, which is saved as a rule.
//   bun examples/sdk/permission-ui.ts "tidy up this folder"

import process from "node:process";
import { createInterface } from "node:readline";
import { query, type CanUseTool, type PermissionUpdate } from "@keelson/sdk";

const terminal = createInterface({ input: process.stdin });
// The iterator buffers lines that were typed before we asked.
const lines = terminal[Symbol.asyncIterator]();
/** Questions are asked one at a time, however many calls wait for an answer. */
let before: Promise<unknown> = Promise.resolve();

const canUseTool: CanUseTool = (tool, input, question) => {
  const answer = before.then(() => ask(tool, input, question));
  before = answer.catch(() => undefined);
  return answer;
};

const ask: CanUseTool = async (tool, input, { suggestions = [], signal, decisionReason }) => {
  // The run was interrupted while the question waited for its turn.
  if (signal.aborted) return null;
  // Updates that would prevent this question next time. They may include mode changes, which "always" should not make.
  const rules = suggestions.filter((update) => update.type === "addRules");
  console.log(`\n${tool}: ${JSON.stringify(input)}${decisionReason ? `\n  ${decisionReason}` : ""}`);
  process.stdout.write(`Allow? [y]es, [n]o${rules.length > 0 ? `, [a]lways (${rules.map(shown).join(", ")})` : ""} `);
  const { value = "" } = await lines.next();
  const [reply = "", ...why] = String(value).trim().split(" ");
  if (reply === "a" && rules.length > 0) {
    // Each update names its destination; these go to the project's .claude/settings.local.json.
    return { behavior: "allow", updatedPermissions: rules, decisionClassification: "user_permanent" };
  }
  if (reply === "y") return { behavior: "allow", decisionClassification: "user_temporary" };
  // Anything but a clear yes is a no. The words after it go to the model, which may try another way.
  const message = why.join(" ") || "The user said no to this call";
  return { behavior: "deny", message, decisionClassification: "user_reject" };
};

const shown = (update: PermissionUpdate) =>
  "rules" in update
    ? update.rules
        .map(({ toolName, ruleContent }) => (ruleContent ? `${toolName}(${ruleContent})` : toolName))
        .join(" ")
    : update.type;

try {
  for await (const message of query({ prompt: process.argv[2] ?? "What is here?", options: { canUseTool } })) {
    if (message.type !== "result" || message.subtype !== "success") continue;
    console.log(`\n${message.result}`);
    for (const { tool_name } of message.permission_denials) console.log(`(refused: ${tool_name})`);
  }
} finally {
  terminal.close();
}
