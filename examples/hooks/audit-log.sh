#!/bin/sh
# Audit log: one JSON line for every prompt and every tool call, in a file only you can read.
# Events: UserPromptSubmit, PreToolUse, PostToolUse, PostToolUseFailure. It decides nothing and prints nothing.
# The file is AUDIT_LOG, or .claude/audit.jsonl in your home. Inputs are logged unchanged, so it may contain secrets.

umask 077
log="${AUDIT_LOG:-$HOME/.claude/audit.jsonl}"
mkdir -p "$(dirname "$log")"

node -e '
  const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const line = {
    time: new Date().toISOString(),
    session: event.session_id,
    event: event.hook_event_name,
    cwd: event.cwd,
    mode: event.permission_mode,
    prompt: event.prompt,
    tool: event.tool_name,
    input: event.tool_input,
    call: event.tool_use_id,
    error: event.error,
    ms: event.duration_ms,
  };
  require("fs").appendFileSync(process.argv[1], JSON.stringify(line) + "\n");' "$log"
