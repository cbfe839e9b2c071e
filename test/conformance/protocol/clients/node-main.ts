// What runs on Node: plays every row of a table with the SDK and prints what it saw, a line of JSON each.

import { readFileSync } from "node:fs";
import { playRuns } from "../play.ts";
import { openSdk } from "./sdk-client.ts";

const AT_ONCE = 2;

const table = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
let next = 0;
const say = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let at = next++; at < table.length; at = next++) {
      const { runs, place } = table[at];
      await playRuns(runs, place, openSdk).then(
        (seen) => say({ at, runs: seen }),
        (error) => say({ at, error: String(error?.stack ?? error) }),
      );
    }
  }),
);
