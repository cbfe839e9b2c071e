// Compares prompts from the same starting point: the expensive setup runs once, then it is forked.
//   bun examples/sdk/fork-and-compare.ts

import { query, type Options, type SDKResultMessage } from "@keelson/sdk";

// The forks run at the same time in one folder, so they are read-only.
const options: Options = { tools: ["Read", "Grep", "Glob"], permissionMode: "dontAsk" };

const setup = "Read README.md and the sources, so you can answer questions about this project.";
const variants = {
  plain: "What should be improved first?",
  role: "You are its maintainer and have little time. What should be improved first?",
  limit: "Name the one thing that should be improved first, in at most ten words.",
};

async function run(prompt: string, more: Options = {}): Promise<SDKResultMessage> {
  let result: SDKResultMessage | undefined;
  try {
    for await (const message of query({ prompt, options: { ...options, ...more } })) {
      if (message.type === "result") result = message;
    }
  } catch (error) {
    // A failed variant is a result too: it was yielded before the error.
    if (result === undefined) throw error;
  }
  if (result === undefined) throw new Error("The run ended without a result");
  return result;
}

// 1. Reach a known state, once. 2. Its session id is the starting point.
const start = await run(setup);
if (start.is_error) throw new Error(`The setup failed: ${start.subtype}`);

// 3. and 4. A fork has the conversation so far and its own session id; the original does not change.
const results = await Promise.all(
  Object.entries(variants).map(async ([name, prompt]) => {
    const result = await run(prompt, { resume: start.session_id, forkSession: true });
    return { name, result };
  }),
);

// 5. Compare. Any fork can be continued under its own id.
for (const { name, result } of results) {
  const answer = result.subtype === "success" ? result.result : result.subtype;
  console.log(`## ${name}: ${result.num_turns} turns, ${result.usage.output_tokens} tokens, ${words(answer)} words`);
  console.log(`${answer}\n(session ${result.session_id})\n`);
}

function words(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
