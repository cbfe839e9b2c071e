// The tool that a model means by a name which no tool has: another case (`bash`, `todo_write`), a prefix of a format
// (`functions.Read`), what is left of one (`Bash<|channel|>`), or the name that other agents give the same tool
// (`read_file`). Pure. Only among the tools that may be called, so that it offers nothing new.

import type { Tool } from "../tool.ts";

/** By the name as models write it, without case and punctuation. Each does what its own tool does, with the same inputs. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  readfile: "Read",
  viewfile: "Read",
  writefile: "Write",
  createfile: "Write",
  writetofile: "Write",
  editfile: "Edit",
  strreplace: "Edit",
  replaceinfile: "Edit",
  shell: "Bash",
  runshellcommand: "Bash",
  runcommand: "Bash",
  executecommand: "Bash",
  runterminalcmd: "Bash",
  terminal: "Bash",
  globfiles: "Glob",
  findfiles: "Glob",
  grepsearch: "Grep",
  searchfiles: "Grep",
  searchfilecontent: "Grep",
  fetchurl: "WebFetch",
  searchweb: "WebSearch",
  updatetodos: "TodoWrite",
  writetodos: "TodoWrite",
  askuser: "AskUserQuestion",
};

/** What to use instead of tools of other agents whose inputs have another form. */
const INSTEAD: Readonly<Record<string, string>> = {
  multiedit: "Make one Edit call for each change; they may be in one reply.",
  strreplaceeditor: "Use Read, Edit or Write.",
  strreplacebasededittool: "Use Read, Edit or Write.",
  applypatch: "Use Edit for changes and Write for new files.",
  ls: "Use Glob, or ls with Bash.",
  listdir: "Use Glob, or ls with Bash.",
  listdirectory: "Use Glob, or ls with Bash.",
  listfiles: "Use Glob, or ls with Bash.",
  deletefile: "Use rm with Bash.",
  attemptcompletion: "To finish, answer in plain text without a call.",
  finish: "To finish, answer in plain text without a call.",
  finalanswer: "To finish, answer in plain text without a call.",
};

/** The only tool that the name can mean; undefined if there is none, or more than one. */
export function toolMeant(tools: readonly Tool[], name: string): Tool | undefined {
  const bare = bareName(name);
  if (bare === "") return undefined;
  const named = tools.filter((tool) => [tool.name, ...(tool.aliases ?? [])].some((each) => bareName(each) === bare));
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  // With a capital it is a name of its own.
  if (!/^[a-z]/.test(name) || !Object.hasOwn(OTHER_NAMES, bare)) return undefined;
  return tools.find((tool) => tool.name === OTHER_NAMES[bare]);
}

/** How to do what a tool of another agent does; undefined if we do not know it. */
export function insteadOf(name: string): string | undefined {
  const bare = bareName(name);
  return Object.hasOwn(INSTEAD, bare) ? INSTEAD[bare] : undefined;
}

/** Without what a format put around it, case and punctuation. Names of server tools are left alone. */
function bareName(name: string): string {
  const [inner = ""] = name.trim().split(/<\||[({[]/, 1);
  if (inner.startsWith("mcp__")) return inner;
  return inner
    .replace(/^(?:functions?|default_api|tools?)[._]/i, "")
    .replace(/[_-]/g, "")
    .replace(/tool$/i, "")
    .toLowerCase();
}
