import { expect, test } from "bun:test";
import { scriptsIn } from "./scripts.ts";

const places = { cwd: "/p", home: "/home/me" };

const ROWS: readonly (readonly [string | readonly string[], readonly string[]])[] = [
  ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh', ["/p/.claude/hooks/check.sh"]],
  ["${CLAUDE_PROJECT_DIR}/scripts/a.sh --all", ["/p/scripts/a.sh"]],
  ["scripts/a.sh; ./b | ~/bin/c > out/log.txt 2>&1", ["/p/scripts/a.sh", "/p/b", "/home/me/bin/c"]],
  ["python3 -u tools/check.py src/main.ts", ["/p/tools/check.py"]],
  ["X=1 exec node check.mjs", ["/p/check.mjs"]],
  ["uv run scripts/x.py && npx tsx scripts/y.ts", ["/p/scripts/x.py", "/p/scripts/y.ts"]],
  ["bash -c 'cd a && hooks/run.sh b'", ["/p/hooks/run.sh"]],
  ["'/srv/my hooks/run'", ["/srv/my hooks/run"]],
  [["/srv/hook", "a b", "c.sh"], ["/srv/hook"]],
  [["bash", "/srv/it's.sh"], ["/srv/it's.sh"]],
  ["timeout 5s nice -n 10 scripts/a.sh src/", ["/p/scripts/a.sh"]],
  ["python3 -W ignore tools/check.py src/", ["/p/tools/check.py"]],
  ["uv run --with rich tools/check.py", ["/p/tools/check.py"]],
  ["bash -euo pipefail scripts/a.sh && ruby -I lib b.rb", ["/p/scripts/a.sh", "/p/b.rb"]],
  ["node --env-file .env tools/check.js; tsx --tsconfig tsconfig.json c.ts", ["/p/tools/check.js", "/p/c.ts"]],
  ["pwsh -NoProfile -ExecutionPolicy Bypass -File tools/check.ps1", ["/p/tools/check.ps1"]],
  ["uv run --group dev tools/check.py", ["/p/tools/check.py"]],
  ["if test -f x/y; then scripts/a.sh; else ! bash scripts/b.sh; fi", ["/p/scripts/a.sh", "/p/scripts/b.sh"]],
  ["python -m ruff check src/ tests/ --fix && python3 -m mypy src/", []],
  ["npx -y prettier --write src/index.ts; bunx eslint src/", []],
  ["uv run --quiet ruff format src/", []],
  ["node $SOMEWHERE/x.mjs src/index.ts", []],
  ["prettier --write src/index.ts", []],
  ["npm run lint; echo done; jq -r .tool_input.file_path", []],
  ["/usr/bin/python3 -c 'print(1)'", []],
  ["node_modules/.bin/eslint .", []],
  ["curl https://example.org/x.sh | sh", []],
  ["$SOMEWHERE/x.sh", []],
];

test.each(ROWS)("scriptsIn(%j)", (command, scripts) => {
  expect(scriptsIn(command, places)).toEqual([...scripts]);
});
