#!/bin/sh
# Block force pushes: nobody's history is rewritten because a push was rejected.
# Event: PreToolUse for Bash; the "if" in the settings runs it only for commands with a git push anywhere in them.
# Exit code 2 refuses the call and tells the model why. --force-with-lease is left to your permission rules.
# It reads the text of the command, so it stops mistakes, not somebody who hides what he does. For that, deny git push.

command=$(node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0, "utf8")).tool_input.command))')

if printf '%s' "$command" | grep -Eq '(^|[[:space:]])(--force|-[A-Za-z]*f[A-Za-z]*|--mirror|\+[^[:space:]]+)([[:space:];&|)]|$)'; then
  echo "Force pushes are not allowed here. Push to a new branch, or ask the user to do it." >&2
  exit 2
fi
