import { test } from "bun:test";
import { setStage } from "./stage.ts";
import { playRuns } from "./play.ts";
import { openPipe } from "./pipe-client.ts";
import { openSdk } from "./sdk-client.ts";
import { SCENARIOS } from "./table.ts";
test("x", async () => { for (const [kind, open] of [["pipe", openPipe], ["sdk", openSdk]] as const) {
  const times: [number, string][] = [];
  for (const scenario of SCENARIOS) {
    if (scenario.only && scenario.only !== kind) continue;
    const stage = await setStage(scenario);
    const t = performance.now();
    await playRuns(stage.runs, stage.place, open);
    const mid = performance.now();
    await stage[Symbol.asyncDispose]();
    times.push([Math.round(mid - t), scenario.name, Math.round(performance.now() - mid)] as never);
  }
  times.sort((a, b) => b[0] - a[0]);
  console.log(kind, times.length, times.reduce((sum, [t]) => sum + t, 0), JSON.stringify(times.slice(0, 18)));
}
}, 300000);
