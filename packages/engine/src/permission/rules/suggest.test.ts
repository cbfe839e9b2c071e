import { expect, test } from "bun:test";
import { bash, type GateSetup } from "../gate.test-support.ts";

function suggested(command: string, setup: GateSetup = {}): (string | undefined)[] {
  const decision = bash(command, setup);
  if (decision.behavior !== "ask") return [decision.behavior];
  return decision.suggestions.flatMap((update) =>
    "rules" in update ? update.rules.map(({ ruleContent }) => ruleContent) : [update.type],
  );
}

test.each<[string, string[]]>([
  ["git push origin main", ["git push *"]],
  ["npm run build", ["npm run *"]],
  ["cargo build --release", ["cargo build *"]],
  ["gh pr create --fill", ["gh pr create *"]],
  ["docker compose up -d", ["docker compose up *"]],
  ["git stash pop", ["git stash pop *"]],
  ["kubectl get pods", ["kubectl get *"]],
  // A subcommand that runs whatever follows is only allowed with its exact text.
  ["npm exec evil", ["npm exec evil"]],
  ["docker run x", ["docker run x"]],
  ["go run ./cmd", ["go run ./cmd"]],
  ["git config user.name x", ["git config user.name x"]],
  ["gh api repos", ["gh api repos"]],
  ["uv run x.py", ["uv run x.py"]],
  ["git", ["git"]],
  ["git -C sub push", ["git -C sub push"]],
  ["npx prettier .", ["npx prettier ."]],
  ["python3 x.py", ["python3 x.py"]],
  ["make all", ["make all *"]],
  ["rm -rf build", ["rm -rf build", "setMode"]],
  ["sudo apt install x", ["sudo apt install x"]],
  ["npm run a && ./x.sh 1 && ls", ["npm run *", "./x.sh 1"]],
  // A prefix would not cover the option, so the exact text is suggested.
  ["git push --exec=x origin", ["git push --exec=x origin"]],
  ["npm test --script-shell=x", ["npm test --script-shell=x"]],
  ["docker build -o /x .", ["docker build -o /x ."]],
  // A program that reads its code from elsewhere.
  ["python3", []],
  ["bash", []],
  ["python3 <<'E'\nprint(1)\nE", []],
  ["bash < x.sh", []],
  ["node -i", []],
  // Commands that no rule would settle.
  ["FOO=1 npm test", []],
  ["npm test > out.txt", []],
  ["(npm test)", []],
  ["npm test &", []],
  ["npm $X", []],
  ["rm *.o", []],
  ["eval ls", []],
  ["./x 'two\nlines'", []],
  [`./x ${"a".repeat(300)}`, []],
  ["./a; ./b; ./c; ./d; ./e; ./f", []],
  ["npm 'x", []],
])("%j suggests %j", (command, expected) => {
  expect(suggested(command)).toEqual(expected);
});

test("accepting a suggestion settles the question", () => {
  for (const command of ["git push origin main", "gh pr create --fill", "python3 x.py", "npm run a && ./x.sh 1"]) {
    const allow = suggested(command).map((content) => `Bash(${content})`);
    expect([command, bash(command, { with: { allow } }).behavior]).toEqual([command, "allow"]);
  }
});
