// An application that makes one query per line of stdin and prints its timings. Runs on Node and Bun:
// `node sdk-main.mjs path/to/sdk/index.js`.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { prewarm, query } = await import(pathToFileURL(process.argv[2]).href);
const clock = () => performance.timeOrigin + performance.now();

for await (const line of createInterface({ input: process.stdin })) {
  const { prompt, options, warm, restMs } = JSON.parse(line);
  const spare = warm ? await prewarm({ options }) : undefined;
  // Applications pause between queries; do not measure a spare that has just been started.
  if (spare) await new Promise((resolve) => setTimeout(resolve, restMs));

  const started = clock();
  const running = spare ? spare.claim({ prompt }) : query({ prompt, options });
  let partial = 0;
  let first = Number.NaN;
  let last = Number.NaN;
  for await (const { type } of running) {
    if (type !== "stream_event") continue;
    if (partial++ === 0) first = clock();
    last = clock();
  }
  console.log(JSON.stringify({ started, ended: clock(), partial, first, last }));
}
