#!/bin/sh
# Notify: tells you that the agent is done or waits for you, while you do something else.
# Events: Stop and Notification. It decides nothing.
# Uses NOTIFY_COMMAND (which gets the text as its argument), or the desktop's notifications.

message=$(node -e '
  const { hook_event_name, message, last_assistant_message } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const text = hook_event_name === "Stop" ? `Done: ${last_assistant_message ?? ""}` : (message ?? hook_event_name);
  process.stdout.write(text.replace(/\s+/g, " ").slice(0, 200));')

if [ -n "$NOTIFY_COMMAND" ]; then
  "$NOTIFY_COMMAND" "$message"
elif command -v notify-send >/dev/null; then
  notify-send -- Keelson "$message"
elif command -v osascript >/dev/null; then
  osascript -e 'on run argv' -e 'display notification (item 1 of argv) with title "Keelson"' -e 'end run' "$message"
fi
exit 0
