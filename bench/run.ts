// `npm run bench`: measures the client's own cost, with a scripted model that answers immediately.
//   --quick          fewer and smaller runs
//   --only a,b       only these measures (see the list below)
//   --json           print the raw samples instead of a table
//   --program path   measure this executable instead of dist/keelson

import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { freshBuild } from "../scripts/fresh-build.ts";
import { agents } from "./measures/extensions/agents.ts";
import { crowd } from "./measures/extensions/crowd.ts";
import { hooks } from "./measures/extensions/hooks.ts";
import { instructions } from "./measures/extensions/instructions.ts";
import { longLoop, loop } from "./measures/loop.ts";
import { mcp } from "./measures/extensions/mcp.ts";
import { parallel } from "./measures/parallel.ts";
import { providers } from "./measures/providers.ts";
import { resume } from "./measures/resume.ts";
import { sdk } from "./measures/sdk.ts";
import { search } from "./measures/search.ts";
import { shield } from "./measures/shield.ts";
import { skills } from "./measures/extensions/skills.ts";
import { start } from "./measures/start.ts";
import { stream } from "./measures/stream.ts";
import { terminal } from "./measures/terminal.ts";
import { turn } from "./measures/turn.ts";
import { setStage, type Stage } from "./stage.ts";
import { renderTable, type Row } from "./table.ts";

const measures: Readonly<Record<string, (stage: Stage) => Promise<Row[]>>> = {
  start,
  turn,
  loop,
  "loop-long": longLoop,
  resume,
  parallel,
  search,
  shield,
  hooks,
  instructions,
  skills,
  agents,
  crowd,
  stream,
  terminal,
  sdk,
  mcp,
  providers,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    program: { type: "string" },
  },
});
const names = values.only?.split(",") ?? Object.keys(measures);
const unknown = names.filter((name) => !(name in measures));
if (unknown.length > 0) {
  console.error(`Unknown measure: ${unknown.join(", ")}. Choose from ${Object.keys(measures).join(", ")}`);
  process.exit(2);
}

const program = values.program ? resolve(values.program) : await freshBuild();
const stage = await setStage([program], { quick: values.quick });
const rows: Row[] = [];
const failures: string[] = [];
try {
  for (const name of names) {
    if (process.stderr.isTTY) process.stderr.write(`${name} …\n`);
    try {
      rows.push(...(await measures[name]!(stage)));
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  await stage.close();
}

const load = loadavg().map((value) => Number(value.toFixed(1)));
if (values.json) {
  console.log(
    JSON.stringify({ bun: Bun.version, cores: navigator.hardwareConcurrency, load, rows, failures }, null, 2),
  );
} else {
  console.log(renderTable(rows));
  console.log(`\nBun ${Bun.version}, ${navigator.hardwareConcurrency} cores, load average ${load.join(" ")}`);
}
for (const failure of failures) console.error(`failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
