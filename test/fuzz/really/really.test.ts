// A small part of the long run, and proof that the sandbox notices what was not judged.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { analyseCommand } from "@keelson/engine/command";
import { testUnless } from "@keelson/testkit";
import { confinementMissing } from "../../sessions/needs-bubblewrap.ts";
import { complaintAbout } from "./account.ts";
import { AGREEMENTS, judgeFor } from "./judge.ts";
import { fuzzForReal, sum } from "./really.fuzz.ts";
import { reportOnRuns, shellNamed } from "./report.ts";
import { runErrands } from "./sandbox.ts";
import { codeNamesPlace, makeFuzzWorld, type FuzzWorld } from "./world.ts";

const confined = testUnless(confinementMissing(), test);
const withZsh = testUnless(confinementMissing(["bwrap", "zsh"]), test);

confined("everything a generated command runs or touches was judged", async () => {
  const findings = await fuzzForReal({ cases: 1_200, seed: 2026, shell: shellNamed("bash") });
  expect(findings.failures, reportOnRuns(findings)).toEqual([]);
  // A gate that asked about everything would pass too.
  expect(sum(findings.ran)).toBeGreaterThan(findings.cases / 8);
});

let world: FuzzWorld;
beforeAll(() => {
  world = makeFuzzWorld();
});
afterAll(() => world.remove());

/** In a folder whose file names are code. What may run here is run, and the names must stay names. */
const OPEN_CODE = [
  ...["s,a*,b,", "1*", "p*", "[1]*", "?e*", "s,?,evil,e*", "~/p", "{1e,p}*", "$#p"].flatMap((script) => [
    `sed -i ${script} a.txt`,
    `sed -Ei ${script} a.txt`,
    `sed -i '' ${script} a.txt`,
    `sed -n ${script} a.txt`,
    `sed -n -e ${script} a.txt`,
    `sed -ne ${script} a.txt`,
    `sed -e p --expression=${script} a.txt`,
    `sed --exp ${script} a.txt`,
    `timeout 5 sed -i ${script} a.txt`,
    `bash -c "sed -i ${script} a.txt"`,
  ]),
  ...["sed -n -e1* a.txt", "sed -e* a.txt", "sed -i p -*", "sed -n --exp*", "awk B* a.txt", "awk --source=B* a.txt"],
  ...[
    "find . -print0 | xargs -0 sed -n",
    "ls | xargs sed -i",
    "printf '%s\\0' * | xargs -0 sed -n",
    "ls | xargs -I{} sed -i {} a.txt",
  ],
  ...["find . -name '1*' -exec sed -n '{}' a.txt ';'", "find . -name 'p*' -exec sed -n 's/a/b/;{}' a.txt ';'"],
  ...[
    "find . -exec cat * ';'",
    "find . -name a.txt *",
    "tar cf x.tar *",
    "tar cf x.tar --checkpoint=1 --ch*",
    "sort *",
    "rg a *",
  ],
];
const CLOSED_CODE = ["sed -i 's,a*,b,' a.txt", "sed -i 's/b/c/' ./a*.txt", "sed -Ei 's,(a|b)*,c,g' a.txt"];

confined("no name of a file becomes code, whatever was agreed to", async () => {
  const shell = shellNamed("bash");
  const judge = judgeFor(world, shell);
  const cwd = codeNamesPlace(world);
  for (const agreement of AGREEMENTS) {
    const judged = await Promise.all(
      [...OPEN_CODE, ...CLOSED_CODE].map(async (command) => ({
        command,
        analysis: await judge({ command, cwd }, agreement),
      })),
    );
    const allowed = judged.filter(({ analysis }) => analysis !== undefined);
    const errands = allowed.map(({ command }) => ({ command, cwd, logsBuiltins: true }));
    const traces = await runErrands(world, errands, shell);
    const complaints = allowed.flatMap(({ command, analysis }, at) => {
      const complaint = complaintAbout(traces[at], analysis!, agreement, world);
      return complaint === undefined ? [] : [`${command}: ${complaint}`];
    });
    expect({ [agreement.name]: complaints }).toEqual({ [agreement.name]: [] });
    const ran = allowed.map(({ command }) => command).filter((command) => CLOSED_CODE.includes(command));
    if (agreement.mode === "acceptEdits") expect(ran).toEqual(CLOSED_CODE);
  }
});

/** What the gate saw, what runs instead, and what must be reported about the difference. */
const DIFFERENT: readonly (readonly [judged: string, run: string, complaint: string | undefined])[] = [
  ["cat a.txt | sort", "cat a.txt | sort", undefined],
  ["ls *.txt", "ls *.txt", undefined],
  ["cat a.txt", "cat a.txt; evil", "ran evil, which was not judged"],
  ["cat", "cat <(:)", "ran cat with words that were not judged"],
  ["echo a", "echo 'a '", "ran echo with words that were not judged"],
  ["printf a", "printf b", "ran printf with words that were not judged"],
  ["ls", "PATH=./d; ls", "ran a program of the folder, ls"],
  ["git status", "cd nested; git status", "ran evil, which was not judged"],
  ["echo a", "echo a > x", "changed a file in the working directory"],
  ["sort a.txt", "sort a.txt < /dev/null >> a.txt", "changed a file in the working directory"],
  ["echo a", "echo a > ../outside/y", "changed a file outside"],
  ["echo a", "echo a >> .claude/settings.json", "changed a file in a protected place"],
  ["cat a.txt", ". ln-file; cat a.txt", "read a file outside"],
  ["sleep 0", "while :; do :; done & sleep 0", "left a process running"],
  ["true", "set", "printed the environment"],
  ["true", "kill -9 $PPID", "it ended the sandbox"],
];

confined("the sandbox notices what was not judged", async () => {
  const errands = DIFFERENT.map(([, command]) => ({ command, cwd: world.work, logsBuiltins: true }));
  const traces = await runErrands(world, errands, shellNamed("bash"));
  const complaints = DIFFERENT.map(([judged, run], at) => [
    judged,
    run,
    complaintAbout(traces[at], analyseCommand(judged), AGREEMENTS[0]!, world),
  ]);
  expect(complaints).toEqual(DIFFERENT.map((row) => [...row]));
});

/** Harmless in bash. */
const OTHERWISE_IN_ZSH: readonly (readonly [command: string, complaint: string])[] = [
  ["path=./d; ls", "ran a program of the folder, ls"],
  ["[ -t 'a[$(evil)]' ]", "ran evil, which was not judged"],
  ["echo =ls", "ran echo with words that were not judged"],
];

withZsh("zsh reads commands that are harmless in bash differently, and the sandbox notices", async () => {
  const errands = OTHERWISE_IN_ZSH.map(([command]) => ({ command, cwd: world.work }));
  const traces = await runErrands(world, errands, shellNamed("zsh"));
  const complaints = OTHERWISE_IN_ZSH.map(([command], at) => [
    command,
    complaintAbout(traces[at], analyseCommand(command), AGREEMENTS[0]!, world),
  ]);
  expect(complaints).toEqual(OTHERWISE_IN_ZSH.map((row) => [...row]));
});

withZsh("where commands run in zsh, no generated command is allowed because of its text", async () => {
  const findings = await fuzzForReal({ cases: 500, seed: 2026, shell: shellNamed("zsh") });
  expect(findings, reportOnRuns(findings)).toEqual({ cases: 500, ran: {}, timedOut: 0, failures: [] });
});
