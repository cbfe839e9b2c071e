// Settles the calls of one reply: neighbours that may run together do, everything else runs alone, in order.

import { findTool } from "./pool.ts";
import type { Ports } from "./ports.ts";
import { settle, type Settled } from "./tool-call.ts";
import type { Call } from "./turn.ts";

/** One answer for each call, in the order of the calls. Entries are recorded as each call ends. */
export async function settleAll(calls: readonly Call[], ports: Ports): Promise<Settled[]> {
  const settled: Settled[] = [];
  let current = ports;
  for (const group of await groups(calls, ports)) {
    settled.push(...(await settleGroup(group, current)));
    // Whoever denied a call and wants the run to end is not asked about the calls behind it, and none of them runs.
    if (settled.some(({ interrupt }) => interrupt)) current = { ...ports, signal: AbortSignal.abort() };
  }
  return settled;
}

/** Runs of neighbours that all agree to company; each other call is a group of its own. */
async function groups(calls: readonly Call[], ports: Ports): Promise<Call[][]> {
  const result: { together: boolean; calls: Call[] }[] = [];
  for (const call of calls) {
    const together = await mayRunTogether(call, ports);
    const last = result.at(-1);
    if (together && last?.together) last.calls.push(call);
    else result.push({ together, calls: [call] });
  }
  return result.map((group) => group.calls);
}

async function mayRunTogether({ block }: Call, ports: Ports): Promise<boolean> {
  const together = findTool(ports.tools, block.name)?.together ?? false;
  return typeof together === "boolean" ? together : together(block.input);
}

async function settleGroup(group: readonly Call[], ports: Ports): Promise<Settled[]> {
  const settled: Settled[] = Array.from({ length: group.length });
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < group.length; index = next++) {
      settled[index] = await settle(group[index]!, ports);
    }
  };
  await Promise.all(Array.from({ length: Math.min(ports.concurrency, group.length) }, worker));
  return settled;
}
