// Reads a text and prints its content as JSON with a fixed shape.
//   bun examples/sdk/structured-extraction.ts invoice.txt

import { readFile } from "node:fs/promises";
import process from "node:process";
import { query, ResultError } from "@keelson/sdk";
import { z } from "zod";

const Invoice = z.object({
  number: z.string(),
  date: z.iso.date(),
  currency: z.string().length(3),
  lines: z.array(z.object({ what: z.string(), amount: z.number() })),
  total: z.number(),
});

/** The model gets the schema, and the program checks the answer: a mismatch goes back, up to five times. */
async function extract(text: string): Promise<z.infer<typeof Invoice>> {
  const running = query({
    prompt: `Extract the invoice from the text between the tags.\n<text>\n${text}\n</text>`,
    options: {
      // It only has to answer: no tools, no settings, no transcript.
      tools: [],
      settingSources: [],
      persistSession: false,
      outputFormat: { type: "json_schema", schema: z.toJSONSchema(Invoice) },
    },
  });
  for await (const message of running) {
    if (message.type !== "result" || message.subtype !== "success" || message.is_error) continue;
    // Parse it again, so the result has the type.
    return Invoice.parse(message.structured_output);
  }
  throw new Error("The run ended without an answer");
}

const file = process.argv[2];
if (file === undefined) {
  console.error("Give a file to read");
  process.exit(2);
}
try {
  const invoice = await extract(await readFile(file, "utf8"));
  console.log(JSON.stringify(invoice, null, 2));
  // Check what a schema cannot express.
  const sum = invoice.lines.reduce((all, { amount }) => all + amount, 0);
  if (Math.abs(sum - invoice.total) > 0.005) console.error(`The lines add up to ${sum}, not to ${invoice.total}`);
} catch (error) {
  if (!(error instanceof ResultError)) throw error;
  console.error(`No invoice: ${error.errors.join("; ") || error.message}`);
  process.exitCode = 1;
}
