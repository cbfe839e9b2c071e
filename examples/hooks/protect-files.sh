#!/bin/sh
# Protect files: the agent may not edit generated, released or secret files.
# Event: PreToolUse for Edit, Write and NotebookEdit. The output is JSON: a deny with your own reason.
# Shell patterns, one per line, in .claude/protected-files; a * also matches slashes. Without that file, the ones below
# apply. Shell commands can still write the files; a deny rule such as "Edit(.env*)" covers both.

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

# Use the real folder, so a link cannot hide it.
folder=$(cd "$(dirname "$file")" 2>/dev/null && pwd -P) && file="$folder/$(basename "$file")"
project=$(cd "$CLAUDE_PROJECT_DIR" && pwd -P)
name=${file#"$project"/}

printf '%s\n' "$patterns" | while IFS= read -r pattern; do
  [ -n "$pattern" ] || continue
  # Unquoted, because it is a pattern.
  case "$name" in
    $pattern)
      reason="$name is protected ($pattern). Change its source, or ask the user."
      node -e 'console.log(JSON.stringify({ hookSpecificOutput: {
        hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: process.argv[1] } }))' "$reason"
      break
      ;;
  esac
done
