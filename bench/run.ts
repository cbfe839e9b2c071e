// `npm run bench`: measures the client's own cost, with a scripted model that answers immediately.
//   --quick          fewer and smaller runs
//   --only a,b       only these measures (see the list below)
//   --json           print the raw samples instead of a table
//   --program path   measure this executable instead of dist/keelson
//   --against a,b    measure these executables too, in turn, and show them side by side

import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { freshBuild } from "../scripts/fresh-build.ts";
import { agents } from "./measures/extensions/agents.ts";
import { crowd } from "./measures/extensions/crowd.ts";
import { hooks } from "./measures/extensions/hooks.ts";
import { instructions } from "./measures/extensions/instructions.ts";
import { claims } from "./measures/claims/claims.ts";
import { editor } from "./measures/editor.ts";
import { first } from "./measures/first.ts";
import { clients } from "./measures/clients.ts";
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
import { pages } from "./measures/web/pages.ts";
import { watchers } from "./measures/web/watchers.ts";
import { setStage, type Stage } from "./stage.ts";
import { renderComparison, renderTable, type Row } from "./table.ts";

const measures: Readonly<Record<string, (stage: Stage) => Promise<Row[]>>> = {
  start,
  turn,
  first,
  loop,
  "loop-long": longLoop,
  clients,
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
  editor,
  mcp,
  providers,
  claims,
  pages,
  watchers,
};

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    program: { type: "string" },
    against: { type: "string" },
  },
});
const names = values.only?.split(",") ?? Object.keys(measures);
const unknown = names.filter((name) => !(name in measures));
if (unknown.length > 0) {
  console.error(`Unknown measure: ${unknown.join(", ")}. Choose from ${Object.keys(measures).join(", ")}`);
  process.exit(2);
}

const program = values.program ? resolve(values.program) : await freshBuild();
const others = values.against?.split(",").map((path) => resolve(path)) ?? [];
/** In turn, so that what else the machine does meets all of them. */
const rounds = others.length > 0 ? 5 : 1;
const failures: string[] = [];
const stages: Stage[] = [];
const measured = new Map<string, Row[]>([program, ...others].map((path) => [path, []]));
try {
  for (const path of measured.keys()) stages.push(await setStage([path], { quick: values.quick }));
  for (const name of names) {
    if (process.stderr.isTTY) process.stderr.write(`${name} …\n`);
    try {
      for (let round = 0; round < rounds; round++)
        for (const stage of stages) add(await measures[name]!(stage), measured.get(stage.program[0]!)!);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  for (const stage of stages) await stage.close();
}

/** Adds the samples of another round. */
function add(more: readonly Row[], rows: Row[]): void {
  for (const row of more) {
    const at = rows.findIndex(({ what }) => what === row.what);
    if (at < 0) rows.push(row);
    else rows[at] = { ...row, samples: [...rows[at]!.samples, ...row.samples] };
  }
}

const load = loadavg().map((value) => Number(value.toFixed(1)));
if (values.json) {
  console.log(
    JSON.stringify(
      {
        bun: Bun.version,
        cores: navigator.hardwareConcurrency,
        load,
        rows: measured.get(program),
        ...(others.length > 0 && { against: Object.fromEntries(others.map((path) => [path, measured.get(path)])) }),
        failures,
      },
      null,
      2,
    ),
  );
} else {
  console.log(others.length > 0 ? renderComparison(measured) : renderTable(measured.get(program)!));
  console.log(`\nBun ${Bun.version}, ${navigator.hardwareConcurrency} cores, load average ${load.join(" ")}`);
}
for (const failure of failures) console.error(`failed: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
