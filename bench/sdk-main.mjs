// An application that makes one query for each line of its input, on whichever runtime runs it, and says when it began and
// what it saw: `node sdk-main.mjs path/of/the/sdk/index.js`.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { prewarm, query } = await import(pathToFileURL(process.argv[2]).href);
const clock = () => performance.timeOrigin + performance.now();

for await (const line of createInterface({ input: process.stdin })) {
  const { prompt, options, warm, restMs } = JSON.parse(line);
  const spare = warm ? await prewarm({ options }) : undefined;
  // What applications do between queries; a spare that was only just made is not what is measured.
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
