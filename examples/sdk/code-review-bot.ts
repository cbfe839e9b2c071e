// Reviews a change and prints what is wrong with it, one finding per line; exit code 1 if something must be fixed.
//   git diff main | bun examples/sdk/code-review-bot.ts

import { text } from "node:stream/consumers";
import process from "node:process";
import { query, type Options } from "@keelson/sdk";
import { z } from "zod";

const Review = z.object({
  summary: z.string(),
  findings: z.array(
    z.object({
      file: z.string(),
      line: z.number().int(),
      severity: z.enum(["must-fix", "should-fix", "note"]),
      problem: z.string(),
    }),
  ),
});

const options: Options = {
  systemPrompt: {
    type: "preset",
    preset: "claude_code",
    append: "You review changes. Read the code around a change before you judge it. Report only what you can point to.",
  },
  // It may read everything and change nothing; anything else is denied without asking.
  tools: ["Read", "Grep", "Glob"],
  permissionMode: "dontAsk",
  // A change under review must not configure its reviewer: ignore the project's settings, hooks and instructions.
  settingSources: [],
  maxTurns: 30,
  outputFormat: { type: "json_schema", schema: z.toJSONSchema(Review) },
};

const diff = await text(process.stdin);
if (diff.trim() === "") {
  console.error("Nothing to review: pipe a diff into this program");
  process.exit(2);
}

for await (const message of query({ prompt: `Review this change:\n\n${diff}`, options })) {
  // If the model cannot be reached, there is still a result, with `is_error`; the loop throws right after it.
  if (message.type !== "result" || message.subtype !== "success" || message.is_error) continue;
  const { summary, findings } = Review.parse(message.structured_output);
  for (const { file, line, severity, problem } of findings) console.log(`${file}:${line}: ${severity}: ${problem}`);
  console.log(summary);
  if (findings.some(({ severity }) => severity === "must-fix")) process.exitCode = 1;
}
