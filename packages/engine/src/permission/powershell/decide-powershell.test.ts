import { expect, test } from "bun:test";
import { decide, type GateDecision } from "../decide.ts";
import { lookedUp } from "../disk.test-support.ts";
import { question, type GateSetup } from "../gate.test-support.ts";
import { analysePowerShell, powershellChecks } from "./decide-powershell.ts";
import { isPlain } from "./plain.ts";

function powershell(command: string, setup: GateSetup = {}): GateDecision {
  const access = {
    kind: "command" as const,
    command,
    cwd: "/repo",
    language: "powershell" as const,
    ...(setup.unsandboxed ? { unsandboxed: true } : {}),
  };
  const analysis = analysePowerShell(command);
  const disk = lookedUp(analysis, { cwd: "/repo", home: "/home/me" }, { links: {}, files: [] });
  const found = { analysis, ...disk, commandChecks: powershellChecks, git: new Map([["/repo", []]]) };
  return decide(question(access, "PowerShell", { ...found, input: { command }, ...setup }));
}

const verdict = (command: string, setup?: GateSetup) => powershell(command, setup).behavior;

test("nothing is allowed without a rule, however harmless it is in bash", () => {
  for (const command of [
    "ls",
    "pwd",
    "echo hello",
    "git status",
    "Get-ChildItem",
    "cat a.txt",
    "$x = 1",
    "# nothing",
  ]) {
    expect([command, verdict(command)]).toEqual([command, "ask"]);
    expect([command, verdict(command, { with: { allow: ["Bash", "Bash(*)", "Bash(git status)"] } })]).toEqual([
      command,
      "ask",
    ]);
    expect([command, verdict(command, { mode: "acceptEdits" })]).toEqual([command, "ask"]);
    expect([command, verdict(command, { mode: "dontAsk" })]).toEqual([command, "deny"]);
  }
});

test("a rule without parentheses allows all, an exact rule its text", () => {
  const exact = { with: { allow: ["PowerShell(Get-Process | Select-Object -First 3)"] } };
  expect(verdict("rm x; Get-Date", { with: { allow: ["PowerShell"] } })).toBe("allow");
  expect(verdict("Get-Process | Select-Object -First 3", exact)).toBe("allow");
  expect(verdict("  Get-Process | Select-Object -First 3\n", exact)).toBe("allow");
  for (const other of [
    "Get-Process | Select-Object -First 4",
    "get-process | Select-Object -First 3",
    "Get-Process | Select-Object -First 3; x",
  ])
    expect([other, verdict(other, exact)]).toEqual([other, "ask"]);
});

test("a rule with a star covers one plain command, and no text that may hold a second one", () => {
  const rules = {
    with: { allow: ["PowerShell(git status:*)", "PowerShell(Get-ChildItem *)", "PowerShell(npm run *)"] },
  };
  for (const command of [
    "git status",
    "git status -s",
    "git status 'a b'",
    "Get-ChildItem",
    "Get-ChildItem -Path src -Recurse",
    'Get-ChildItem "my folder"',
    "npm run build",
  ])
    expect([command, verdict(command, rules)]).toEqual([command, "allow"]);
  for (const command of [
    "git statusx",
    "git push",
    "Get-ChildItem; Remove-Item x",
    "Get-ChildItem | Remove-Item",
    "Get-ChildItem & calc",
    "Get-ChildItem && calc",
    "Get-ChildItem || calc",
    "Get-ChildItem\ncalc",
    "Get-ChildItem\rcalc",
    "Get-ChildItem $(calc)",
    "Get-ChildItem (calc)",
    "Get-ChildItem @(calc)",
    "Get-ChildItem ${env:X}",
    "Get-ChildItem $x",
    'Get-ChildItem "$(calc)"',
    "Get-ChildItem `\ncalc",
    "Get-ChildItem a`;calc",
    "Get-ChildItem { calc }",
    "Get-ChildItem > out",
    "Get-ChildItem <# x #> y",
    "Get-ChildItem # x",
    "Get-ChildItem [IO.File]::Delete",
    "Get-ChildItem --% x",
    "Get-ChildItem 'a'b",
    "Get-ChildItem a'b c'",
    "Get-ChildItem 'a",
    "Get-ChildItem ‘a’; calc",
    "Get-ChildItem a,b",
    "Get-ChildItem a\\b",
    "Get-ChildItem @x",
    "Get-ChildItem 'a & calc'",
    "Get-ChildItem –Path x",
    "git status -- x,--output=y",
    "npm run build & calc",
    "& npm run build",
    ". ./npm run build",
    "FOO=1 npm run build",
  ])
    expect([command, verdict(command, rules)]).toEqual([command, "ask"]);
});

test("a rule with a star does not cover options that run another program", () => {
  const rules = { with: { allow: ["PowerShell(git *)", "PowerShell(rg *)"] } };
  expect(verdict("rg needle src", rules)).toBe("allow");
  expect(powershell("rg --pre evil needle", rules)).toMatchObject({
    behavior: "ask",
    reason: expect.stringContaining("PowerShell(rg *) does not cover '--pre'"),
  });
  expect(verdict("git -c core.pager=evil log", rules)).toBe("ask");
});

test("deny rules match in any case, through aliases, paths, quotes, escapes and other programs", () => {
  const rules = { with: { allow: ["PowerShell"], deny: ["PowerShell(Remove-Item *)", "Bash(curl:*)"] } };
  for (const command of [
    "Remove-Item x",
    "remove-item x",
    "rm x",
    "RM x",
    "del x",
    "ri",
    "R`emove-Item x",
    "Get-ChildItem | Remove-Item",
    "if ($true) { rm x }",
    "& 'Remove-Item' x",
    "Get-Date; erase x",
    "$y = rm x",
    "$y=rm x",
    "$y+=rm x",
    "@{a=rm x}",
    "<# nothing #>rm x",
    "rm<##> x",
    "rm>log x",
    "&'rm'x",
    ".'rm' x",
    "&“rm”x",
    "Microsoft.PowerShell.Management\\Remove-Item x",
    "/usr/bin/curl http://e.com",
    "curl.exe http://e.com",
    "Start-Process curl http://e.com",
    "Invoke-WebRequest http://e.com",
  ])
    expect([command, verdict(command, rules)]).toEqual([command, "deny"]);
  expect(powershell("rm x", rules)).toMatchObject({
    message:
      "Permission to use PowerShell with command rm x has been denied. The deny rule is PowerShell(Remove-Item *), from userSettings.",
  });
});

test("what may hide a denied command needs approval, even if everything else is allowed", () => {
  const rules = { mode: "bypassPermissions" as const, with: { deny: ["PowerShell(Remove-Item -Recurse *)"] } };
  for (const command of [
    "Remove-Item x",
    "iex $x",
    "& $x",
    "& (Get-Command x)",
    ". $x",
    "[IO.File]::Delete('x')",
    "powershell -enc abc",
    "Start-Job { x }",
    "Set-Alias a b",
    "$executioncontext.invokecommand.invokescript('x')",
    '& "Remove-It$()em" x',
    "$m = 'm'; & \"Remove-Ite$m\" x",
    '& "`u{52}emove-Item" x',
    "Set-Content function:f $x; f",
    "${alias:a} = $x; a y",
    "(Get-Item x).Delete()",
    "Get-Item x | % Delete",
    "iex'x'",
  ])
    expect([command, verdict(command, rules)]).toEqual([command, "ask"]);
  for (const command of ["Get-Date", "$x=git status", "(Get-Item x).FullName.Trim()", "git log --format=%h > out.txt"])
    expect([command, verdict(command, rules)]).toEqual([command, "allow"]);
  expect(verdict("Remove-Item -Recurse x", rules)).toBe("deny");
});

test("rules about files apply to the files that the text names, and to what it may hide", () => {
  const rules = { with: { allow: ["PowerShell"], deny: ["Read(.env)", "Edit(secret/**)"] } };
  for (const command of ["Get-Content .env", "gc ./.env", "Get-Content -Path:.env", "type '.env'", "echo x > secret/a"])
    expect([command, verdict(command, rules)]).toEqual([command, "deny"]);
  expect(verdict("Get-Date", rules)).toBe("ask");
  expect(verdict("Get-Date", { ...rules, with: { allow: ["PowerShell"], deny: ["Read(.env)"] }, shield: true })).toBe(
    "allow",
  );
});

test("ask rules ask", () => {
  const rules = { with: { allow: ["PowerShell"], ask: ["PowerShell(git push *)"] } };
  expect(verdict("git push", rules)).toBe("ask");
  expect(verdict("Git.exe push origin", rules)).toBe("ask");
  expect(verdict("Get-Date", rules)).toBe("allow");
});

test("removing what must stay needs approval in every mode", () => {
  for (const command of [
    "Remove-Item / -Recurse -Force",
    "rm -r -fo ~",
    "rm $HOME",
    "rm -Recurse $env:USERPROFILE",
    "Remove-Item -Path:C:\\ -Recurse",
    "rd C:\\Windows",
    "del *",
    "rm .",
    "rm ..",
    "rm /repo",
    "rm /usr",
    "Remove-Item $x -Recurse",
    "Get-ChildItem / | Remove-Item",
    "Get-ChildItem / | % { rm $_ }",
    "Format-Volume -DriveLetter C",
    "sudo rm -rf /",
    "$x=rm -r /",
    "rm<##> /",
  ])
    expect([command, verdict(command, { mode: "bypassPermissions" })]).toEqual([command, "ask"]);
  for (const command of ["rm build", "Remove-Item ./dist -Recurse", "Get-Date"])
    expect([command, verdict(command, { mode: "bypassPermissions" })]).toEqual([command, "allow"]);
});

test("protected files need approval although a rule allows the command", () => {
  const rules = { with: { allow: ["PowerShell"] } };
  for (const command of ["Set-Content .git/config x", "ni .Claude\\settings.json", "echo x >.bashrc", "gc .mcp.json"])
    expect([command, verdict(command, rules)]).toEqual([command, "ask"]);
  expect(verdict("Set-Content .git/config x", { mode: "bypassPermissions" })).toBe("allow");
});

test("the sandbox does not allow a command by itself, and leaving it takes a rule", () => {
  const sandbox = { active: true, autoAllow: true, allowUnsandboxed: true, excluded: ["git *"] };
  expect(verdict("git status", { sandbox })).toBe("ask");
  expect(verdict("git status", { sandbox, unsandboxed: true, with: { allow: ["PowerShell(git status)"] } })).toBe(
    "allow",
  );
  expect(
    verdict("git status", {
      sandbox: { ...sandbox, allowUnsandboxed: false },
      unsandboxed: true,
      with: { allow: ["PowerShell"] },
    }),
  ).toBe("deny");
});

test("an exact rule is suggested, unless it would be read as a pattern", () => {
  expect(powershell("Get-Date -Format o")).toEqual({
    behavior: "ask",
    by: "other",
    reason: "This command requires approval",
    suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "PowerShell", ruleContent: "Get-Date -Format o" }],
        behavior: "allow",
        destination: "localSettings",
      },
    ],
  });
  expect(powershell("Get-ChildItem *.ts")).toMatchObject({ suggestions: [] });
  expect(powershell("Get-Date\nGet-Date")).toMatchObject({ suggestions: [] });
});

test("isPlain() takes long text in linear time", () => {
  expect(isPlain(`git ${"a ".repeat(4_000)}'`)).toBe(false);
  expect(isPlain(`git ${"a".repeat(20_000)}`)).toBe(false);
});

test("a long command needs approval, and checking it takes no more than its length", () => {
  const long = "Get-Item a.txt,b.txt; ".repeat(50_000);
  expect(verdict(long, { with: { allow: ["PowerShell"], deny: ["Read(x/**)"] } })).toBe("ask");
  expect(verdict(long, { with: { allow: ["PowerShell"] } })).toBe("ask");
  expect(verdict(long, { mode: "bypassPermissions" })).toBe("allow");
  expect(verdict(long, { mode: "bypassPermissions", with: { deny: ["PowerShell(Format-Volume)"] } })).toBe("ask");
  expect(verdict(`${"& ".repeat(100_000)}rm /`, { mode: "bypassPermissions" })).toBe("ask");
});

test("what a rule with a star allows is plain, whatever is put together", () => {
  const pieces = [..."abc -./:=,;|&$(){}[]<>`'\"\\#@%^!*~\n\t–“"];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  let allowed = 0;
  for (let count = 0; count < 3_000; count++) {
    const tail = Array.from({ length: 1 + random(8) }, () => pieces[random(pieces.length)]).join("");
    const command = `Get-Item ${tail}`;
    if (verdict(command, { with: { allow: ["PowerShell(Get-Item *)"] } }) !== "allow") continue;
    allowed++;
    expect(command.trim()).toMatch(/^Get-Item(?: +(?:[\w./:=+~*@-]+|'[\w ./:=+~*@?,-]*'|"[\w ./:=+~*@?,-]*"))*$/);
  }
  expect(allowed).toBeGreaterThan(50);
});
