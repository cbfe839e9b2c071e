#!/bin/sh
# Block force pushes: no one's history is rewritten because a push was rejected.
# Event: PreToolUse for Bash; the "if" in the settings runs it only for commands that contain a git push.
# Exit code 2 denies the call and tells the model why. --force-with-lease is left to your permission rules.
# It checks the command's text, so it stops mistakes, not someone who hides what they do. For that, deny git push.

command=$(node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0, "utf8")).tool_input.command))')

if printf '%s' "$command" | grep -Eq '(^|[[:space:]])(--force|-[A-Za-z]*f[A-Za-z]*|--mirror|\+[^[:space:]]+)([[:space:];&|)]|$)'; then
  echo "Force pushes are not allowed here. Push to a new branch, or ask the user to do it." >&2
  exit 2
fi
