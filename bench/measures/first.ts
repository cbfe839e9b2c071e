// What happens for the first time in a session: a read and a command, from a model that answers at once and from one that takes
// its time, as real ones do; and the first request in a trusted project that has hooks.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { prose, read, shell, type Call, type Reply } from "../model/script.ts";
import { repeat } from "../repeat.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

/** A model that thinks, then writes a sentence before its call. */
const SLOWLY = { afterMs: 300, eventMs: 10, text: prose(100, 3), deltas: 8 };

export async function first(stage: Stage): Promise<Row[]> {
  await Bun.write(join(stage.project, "first.txt"), "first-end\n");
  const reading = read(join(stage.project, "first.txt"));
  // Quoted, because the simplest commands run without the shield.
  const command = shell("echo 'first-end'");
  const project = await trustedProject(stage);
  const trusted = await repeat(times(stage), () => stage.play([{ text: "ok" }], { cwd: project }));
  return [
    ...(await gap(stage, "first read", reading)),
    ...(await gap(stage, "first command", command)),
    ...(await gap(stage, "first command, streamed", command, SLOWLY)),
    {
      what: "first request with hooks of a trusted project",
      unit: "ms",
      samples: trusted.map(({ firstRequestMs }) => firstRequestMs),
    },
    { what: "one turn with these hooks, CPU", unit: "ms", samples: trusted.map(({ cpuMs }) => cpuMs) },
  ];
}

const times = ({ quick }: Stage) => (quick ? 3 : 8);

/** From the end of the reply with the call to the next request. */
async function gap(stage: Stage, what: string, call: Call, reply: Reply = {}): Promise<Row[]> {
  const script = [{ ...reply, calls: [call] }, { text: "ok" }];
  const rounds = await repeat(times(stage), () => stage.play(script, { expected: ["first-end"] }));
  return [
    { what, unit: "ms", samples: rounds.map(({ gapsMs }) => gapsMs[0]!) },
    { what: `${what}, CPU`, unit: "ms", samples: rounds.map(({ cpuMs }) => cpuMs) },
  ];
}

async function trustedProject(stage: Stage): Promise<string> {
  const cwd = join(stage.folder, "trusted-project");
  await mkdir(join(cwd, ".claude"), { recursive: true });
  const hooks = [{ matcher: "Edit", hooks: [{ type: "command", command: "true" }] }];
  const permissions = { allow: ["Bash(ls:*)"], deny: ["Read(./secret)"] };
  const settings = { hooks: { PreToolUse: hooks, PostToolUse: hooks }, permissions };
  await Bun.write(join(cwd, ".claude", "settings.json"), JSON.stringify(settings));
  const projects = { [cwd]: { hasTrustDialogAccepted: true } };
  await Bun.write(join(stage.home, ".claude.json"), JSON.stringify({ projects }));
  return cwd;
}
