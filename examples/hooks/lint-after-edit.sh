#!/bin/sh
# Lint after edit: checks every file the agent writes, and tells it what is wrong while it still remembers why.
# Event: PostToolUse for Edit, Write and NotebookEdit. Exit code 2 shows the problems to the model; the edit stays.
# Uses the project's eslint if there is one; otherwise it checks the syntax of JavaScript, JSON and shell files.

input=$(cat)
field() {
  printf '%s' "$input" | node -e '
    const text = require("fs").readFileSync(0, "utf8");
    const value = process.argv[1].split(".").reduce((at, key) => at?.[key], JSON.parse(text));
    process.stdout.write(String(value ?? ""));' "$1"
}

file=$(field tool_input.file_path)
[ -f "$file" ] || exit 0

eslint="$CLAUDE_PROJECT_DIR/node_modules/.bin/eslint"
case "$file" in
  *.js | *.mjs | *.cjs | *.jsx | *.ts | *.tsx)
    if [ -x "$eslint" ]; then
      problems=$("$eslint" --no-warn-ignored "$file" 2>&1)
    else
      case "$file" in
        *.js | *.mjs | *.cjs) problems=$(node --check "$file" 2>&1) ;;
        *) exit 0 ;;
      esac
    fi
    ;;
  *.json) problems=$(node -e 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))' "$file" 2>&1) ;;
  *.sh) problems=$(sh -n "$file" 2>&1) ;;
  *) exit 0 ;;
esac && exit 0

printf 'Problems in %s:\n%s\n' "$file" "$(printf '%s' "$problems" | head -n 40)" >&2
exit 2
