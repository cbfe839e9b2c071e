// PowerShell text as words, read as broadly as possible. Only for deny and ask rules and for safety: what it finds may
// be more than would run, so it never allows anything.

import { cmdletOf } from "./aliases.ts";

export interface Statement {
  /** Lower case, without quotes and escapes. The first is a cmdlet's name if the word is one of its aliases. */
  readonly words: readonly string[];
}

/** PowerShell reads these as a quote, a hyphen or a space. */
const QUOTES = /["'\u2018-\u201f]/g;
const DASHES = /[\u2013-\u2015]/g;
const SPACES = /[\s\u00a0\u0085\u180e\u2000-\u200b\u2028\u2029\u3000]+/;

/** Where a command may begin: separators, blocks, calls, assignments. */
const BEGINS = /[;|&{}()\r\n]|\$\(|@\(|=(?=\s)/;

/** The same where no space is needed: `$x=cmd`. */
const BEGINS_ANYWHERE = /[;|&{}()\r\n=]|\$\(|@\(/;
/** `cmd>file`, `cmd,x` and `cmd<#…#>` end the word before them. */
const ENDS_WORD = /[<>,]/g;
const COMMENTS = /<#[\s\S]*?(?:#>|$)/g;

/** Text is read in several ways, so a command may be in more than one statement. */
export function statementsIn(command: string): Statement[] {
  // A backtick escapes the next character, and at the end of a line it continues the line.
  const unescaped = command
    .replaceAll(/`\r?\n/g, " ")
    .replaceAll("`", "")
    .replaceAll(DASHES, "-")
    .toLowerCase();
  const whole = unescaped.replaceAll(QUOTES, "");
  const readings = [
    ...split(whole, BEGINS),
    ...split(whole.replaceAll(COMMENTS, " ").replaceAll(ENDS_WORD, " "), BEGINS_ANYWHERE),
  ];
  const seen = new Set<string>();
  return readings.filter(({ words }) => seen.size !== seen.add(words.join(" ")).size);
}

/** After `& 'cmd'`, the next word may follow without a space: as the words are if every quote ends one. */
export function statementsByQuotes(command: string): Statement[] {
  return statementsIn(command.replaceAll(QUOTES, " "));
}

function split(plain: string, begins: RegExp): Statement[] {
  return plain.split(begins).flatMap((text) => {
    const words = text.split(SPACES).filter((word) => word !== "");
    // `. script` runs it in the same scope; `-not x`, `!x` and `[void] x` still run x.
    while (words.length > 0 && /^(?:\.|!|-not|return|\[[\w.[\]]+\])$/.test(words[0]!)) words.shift();
    return words.length === 0 ? [] : [{ words: withCmdlet(words) }];
  });
}

/** The words of a rule, read the same way; `*` stays. */
export function ruleWords(content: string): readonly string[] {
  const text = content.trim().replace(/:\*$/, " *");
  const words = text.replaceAll(QUOTES, "").replaceAll(DASHES, "-").toLowerCase().split(SPACES);
  return withCmdlet(words.filter((word) => word !== ""));
}

/** The program's name as people write it in a rule: no folder, no extension, no module, no alias. */
export function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);
  return cmdletOf(base.replace(/\.(?:exe|com|cmd|bat|ps1)$/, "") || base);
}

function withCmdlet(words: readonly string[]): readonly string[] {
  return words.length === 0 ? words : [programName(words[0]!), ...words.slice(1)];
}

/**
 * Whether the text hides what it runs: it runs text or a variable, loads code, calls .NET, or starts a shell. Such a
 * command may do what any rule denies.
 */
export function hidesCommand(command: string): boolean {
  const text = command.replaceAll("`", "").replaceAll(QUOTES, "").toLowerCase();
  return (
    /`u\{/i.test(command) ||
    // A variable or an expression anywhere in the name: `& "Remove-$x"`.
    /(?:(?:^|[;|{(=\s])\.|&)\s*[^\s;|&]{0,200}[$({%]/.test(text) ||
    /\b(?:function|alias):/.test(text) ||
    /\]\s*::|\.\s*(?:invoke|create|newscriptblock|dynamicinvoke|delete|moveto|copyto|start|kill)\w*\s*\(/.test(text) ||
    /(?:%|\bforeach(?:-object)?)\s+(?:-\w+\s+)?(?:invoke|delete|moveto|copyto|start|kill)\w*/.test(text) ||
    [...statementsIn(command), ...statementsByQuotes(command)].some(({ words }) =>
      words.some((word) => RUNS_TEXT.has(programName(word))),
    )
  );
}

const RUNS_TEXT = new Set(
  (
    "invoke-expression invoke-command invoke-history invoke-item invoke-wmimethod invoke-cimmethod start-process start-job " +
    "start-threadjob new-alias set-alias import-module add-type new-object using new-psdrive set-item new-item " +
    "pwsh powershell cmd sh bash zsh dash wsl python python3 node perl ruby ssh cscript wscript mshta rundll32 regsvr32 env sudo xargs"
  ).split(" "),
);
