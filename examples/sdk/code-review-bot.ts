// Reviews a change and says what is wrong with it, one finding a line; exit code 1 when something must be fixed.
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
    append: "You review changes. Read the code around a change before you judge it. Report only what you can point at.",
  },
  // It looks at everything and touches nothing; whatever else it tries is refused without a question.
  tools: ["Read", "Grep", "Glob"],
  permissionMode: "dontAsk",
  // A change under review must not configure its reviewer: no settings, hooks or instructions of the project.
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
  // A model that could not be reached is a result too, with `is_error`; the loop throws right after it.
  if (message.type !== "result" || message.subtype !== "success" || message.is_error) continue;
  const { summary, findings } = Review.parse(message.structured_output);
  for (const { file, line, severity, problem } of findings) console.log(`${file}:${line}: ${severity}: ${problem}`);
  console.log(summary);
  if (findings.some(({ severity }) => severity === "must-fix")) process.exitCode = 1;
}
