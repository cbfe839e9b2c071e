// dotnet and MSBuild: files with targets, loggers and adapters are code.

import type { ProgramCall, ProgramOptionTable } from "../program-options.ts";

export const dotnet: ProgramOptionTable = {
  short: "a",
  long: "test-adapter-path settings additional-deps additionalprobingpath",
  files: "o output project p s diag tool-path configfile artifacts-path",
  values: { a: /^(arm|arm64|x64|x86)$/ },
  inspect: inspectDotnet,
};

/** Properties that import a file or name a program. */
const MSBUILD_PROPERTY =
  /^[-/]{1,2}p(roperty)?[:=].*(Custom(Before|After)|Tool(Path|Exe)|(Pre|Post)BuildEvent|Import|Directory\w*Props|Directory\w*Targets|Extensions?Path)/i;
/** A logger from a file, and a file with further arguments. */
const MSBUILD_FILE =
  /^[-/]{1,2}(logger|l|dl|distributedlogger)[:=].*[/\\]|^[-/]{1,2}(bl|binarylogger|testadapterpath)[:=].*(\/|\.\.)|^@/i;

function inspectDotnet({ words, start, agreed, isInside }: ProgramCall): number | undefined {
  const found = words.findIndex((word, at) => {
    if (at < Math.max(start, agreed)) return false;
    if (MSBUILD_PROPERTY.test(word.value) || MSBUILD_FILE.test(word.value)) return true;
    return /\.(dll|sln|slnx|\w*proj)$/i.test(word.value) && !isInside(word);
  });
  return found < 0 ? undefined : found;
}
