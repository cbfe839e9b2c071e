// The gate's command side: the parser, what to look up before a command is judged, and the checks. Loaded with the first
// command, because together with the parser it is some sixty modules.

export { analyseCommand, type CommandAnalysis } from "./analysis/command.ts";
export { commandChecks } from "./decide-command.ts";
export { landings } from "./files/deep.ts";
export { gitFolders } from "../git/git-folders.ts";
export { analyseOnce, isParallelSafeCommand } from "./analysis/recent-analyses.ts";
export { namesOnPath } from "./files/own-programs.ts";
export { nameFits, toLookUp, type LookUps, type OnDisk } from "./files/on-disk.ts";
export { analysePowerShell, powershellChecks } from "../powershell/decide-powershell.ts";
export { isExcluded } from "../rules/sandboxed.ts";
