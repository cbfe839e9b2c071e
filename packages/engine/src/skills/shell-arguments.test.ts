import { expect, test } from "bun:test";
import { fillCommand } from "./shell-arguments.ts";

function fill(command: string, raw: string): string | undefined {
  const variables = { CLAUDE_SKILL_DIR: "/s/dir", CLAUDE_PROJECT_DIR: "/p; x", CLAUDE_PLUGIN_ROOT: "/p$(id)" };
  const filled = fillCommand(command, { raw, names: ["name"], variables });
  return "command" in filled ? filled.command : undefined;
}

test.each([
  ["git log $ARGUMENTS", "-3 main", "git log '-3' 'main'"],
  ["echo $0 $name", "a b", "echo 'a' 'a'"],
  ['echo "<$ARGUMENTS>"', 'a "b" $c `d`', String.raw`echo "<a \"b\" \$c \`d\`>"`],
  ["echo '<$0>'", "it's", `echo '<it'\\''s>'`],
  ["echo $(git log $0)", "x", "echo $(git log 'x')"],
  ['echo "$(git log "$0")"', "x;y", 'echo "$(git log "x;y")"'],
  ["cat ${CLAUDE_SKILL_DIR}/a.txt", "", "cat /s/dir/a.txt"],
  ["cat ${CLAUDE_PROJECT_DIR}/a $0", "b", "cat '/p; x'/a 'b'"],
  ['"${CLAUDE_PROJECT_DIR}/a" ${CLAUDE_SKILL_DIR} $0', "b", "\"/p; x/a\" /s/dir 'b'"],
  ["cat '${CLAUDE_PROJECT_DIR}'", "", "cat '/p; x'"],
  ["cat `echo ${CLAUDE_PROJECT_DIR}`", "", "cat `echo ${CLAUDE_PROJECT_DIR}`"],
  ["cat ${CLAUDE_PLUGIN_ROOT} ${CLAUDE_SKILL_DIR}", "", "cat ${CLAUDE_PLUGIN_ROOT} /s/dir"],
  [String.raw`awk '{print \$1}' $0`, "f", "awk '{print $1}' 'f'"],
  ["echo $5", "a", "echo $5"],
  ["git show $ARGUMENTS", "", "git show "],
  ["python3 report.py $0", "x", "python3 report.py 'x'"],
  ["sed -n 1p $0", "f", "sed -n 1p 'f'"],
  ["npx eslint $ARGUMENTS", "--fix src", "npx eslint '--fix' 'src'"],
  ["git diff $ARGUMENTS", "--stat main...x -- src", "git diff '--stat' 'main...x' '--' 'src'"],
  ["gh pr view $ARGUMENTS", "12 --json title", "gh pr view '12' '--json' 'title'"],
  ["git log --author=$0 -n $1", "x 5", "git log --author='x' -n '5'"],
  ['echo "$0" $1', "$0 $ARGUMENTS", String.raw`echo "\$0" '$ARGUMENTS'`],
])("%j with %j", (command, raw, filled) => {
  expect(fill(command, raw)).toBe(filled);
});

test.each([
  ["$ARGUMENTS", "touch x"],
  ["$0 --version", "touch"],
  ["sudo $0", "touch"],
  ["bash -c $0", "touch"],
  ['bash -c "echo $0"', "$(touch x)"],
  ["bash $0", "x.sh"],
  ["python3 -u -c $0", "print(1)"],
  ["perl -ne $0 file", "1"],
  ["awk $0 file", "{system(1)}"],
  ["sed -n $0 file", "1e touch x"],
  ["make -f $0", "x"],
  ["eval $ARGUMENTS", "touch x"],
  ['eval "echo $0"', "a"],
  ["env $ARGUMENTS", "touch x"],
  ["find . -name $ARGUMENTS", "x -exec touch y ;"],
  ["xargs $0", "touch"],
  ["PATH=$0 ls", "/tmp"],
  ["x=$0; $x", "touch"],
  ["python3 -c $0", "print(1)"],
  ["node -e $0", "1"],
  ["echo `git log $0`", "x"],
  ["cat <<EOF\n$0\nEOF", "x"],
  ["echo a # $0", "x"],
  ["echo ${x:-$0}", "x"],
  ["echo $'$0'", "x"],
  ["trap $0 EXIT", "touch"],
  [". $0", "x.sh"],
  ["source $0", "x.sh"],
  ["bash +x $0", "x.sh"],
  ["npx $0", "touch"],
  ["npx -y $0", "touch"],
  ["deno run $0", "x.ts"],
  ["go run $0", "x.go"],
  // Options that run a program or load code.
  ["git $ARGUMENTS", "-c core.pager=touch log"],
  ["git $ARGUMENTS", "-c alias.x=!touch x"],
  ["git -c $0 log", "core.pager=touch"],
  ['git -c "$0" log', "core.pager=touch"],
  ["git log $ARGUMENTS", "--output=x"],
  ["git diff $0", "--ext-diff"],
  ["git fetch $0", "--upload-pack=touch"],
  ["git log a; tar xf $ARGUMENTS", "a --to-command=touch"],
  ["sort $0", "--compress-program=touch"],
  ["rg $0 src", "--pre=touch"],
  ["ssh $0 ls", "-oProxyCommand=touch"],
  ["find $ARGUMENTS", ". -delete"],
  ["xargs git log $0", "--output=x"],
  ["less $0", "+!touch"],
])("%j with %j is refused", (command, raw) => {
  expect(fill(command, raw)).toBeUndefined();
});

test("whatever the arguments say, the same programs run", () => {
  const hostile = [
    "; touch x",
    "$(touch x)",
    "`touch x`",
    "a\ntouch x",
    "' touch '",
    '" touch "',
    "| sh",
    "> /x",
    "&& x",
    "\\",
  ];
  for (const raw of hostile) {
    for (const command of ["git log $ARGUMENTS", 'git log "$ARGUMENTS"', "git log '$ARGUMENTS'", "git log $0"]) {
      const filled = fill(command, raw);
      if (filled === undefined) continue;
      const shown = Bun.spawnSync([
        "bash",
        "-c",
        `git() { printf '%s\\n' ran; }; touch() { printf touched; }; ${filled}`,
      ]);
      expect([filled, shown.stdout.toString(), shown.exitCode]).toEqual([filled, "ran\n", 0]);
    }
  }
});
