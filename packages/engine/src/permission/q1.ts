import { judgeCommand } from "./verdicts/verdicts-world.ts";
import { analyseCommand } from "./command/command.ts";
const W: any = { look: {}, bypass: {mode:"bypassPermissions"}, norm: { mode: "bypassPermissions", deny: ["Bash(rm:*)"] }, all: { allow: ["Bash(ls:*)","Bash(cat:*)","Bash(echo:*)","Bash(npm:*)","Bash(git:*)","Bash(export:*)","Bash(read:*)","Bash(printf:*)","Bash(alias:*)","Bash(trap:*)","Bash(source:*)","Bash(test:*)", "Bash(shopt:*)","Bash(declare:*)","Bash(let:*)","Bash(mapfile:*)","Bash(unset:*)","Bash(hash:*)","Bash(set:*)"] } };
const rows = (await Bun.file("/tmp/rows.txt").text()).split("\n").filter(Boolean).map((l) => l.replaceAll("⏎", "\n"));
for (const c of rows) console.log(Object.entries(W).map(([k,w]) => `${k}:${judgeCommand(c, w as any)}`.padEnd(13)).join(""), JSON.stringify(c), analyseCommand(c).problem ?? "");
