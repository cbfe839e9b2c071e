#!/bin/sh
# Protect files: what is generated, released or secret is not edited by hand, nor by agent.
# Event: PreToolUse for Edit, Write and NotebookEdit. The answer is JSON: a refusal with a reason of your own.
# Patterns are those of the shell, one a line, in .claude/protected-files; a * also matches slashes. Without that file
# the ones below count. Shell commands can still write the files; a rule such as "Edit(.env*)" under deny covers both.

patterns='.env
.env.*
package-lock.json
*.lock
migrations/*'
list="$CLAUDE_PROJECT_DIR/.claude/protected-files"
[ -f "$list" ] && patterns=$(grep -v '^#' "$list")

file=$(node -e '
  const { file_path, notebook_path } = JSON.parse(require("fs").readFileSync(0, "utf8")).tool_input;
  process.stdout.write(require("path").resolve(file_path ?? notebook_path ?? ""));')

# By the folder it is really in, so that a link does not hide it.
folder=$(cd "$(dirname "$file")" 2>/dev/null && pwd -P) && file="$folder/$(basename "$file")"
project=$(cd "$CLAUDE_PROJECT_DIR" && pwd -P)
name=${file#"$project"/}

printf '%s\n' "$patterns" | while IFS= read -r pattern; do
  [ -n "$pattern" ] || continue
  # Not quoted: it is a pattern.
  case "$name" in
    $pattern)
      reason="$name is protected ($pattern). Change what it is made from, or ask the user."
      node -e 'console.log(JSON.stringify({ hookSpecificOutput: {
        hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: process.argv[1] } }))' "$reason"
      break
      ;;
  esac
done
