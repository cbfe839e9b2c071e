#!/bin/sh
# Run tests on stop: "done" means that the tests pass.
# Event: Stop. Exit code 2 sends the model back to work, with the end of the output.
# Runs TEST_COMMAND or npm test, only if git shows a change. A second failure in a row is left to the user.

input=$(cat)
cd "$CLAUDE_PROJECT_DIR" || exit 0

case "$input" in
  *'"stop_hook_active":true'*) exit 0 ;;
esac
if git rev-parse --git-dir >/dev/null 2>&1 && [ -z "$(git status --porcelain)" ]; then
  exit 0
fi

if output=$(sh -c "${TEST_COMMAND:-npm test --silent}" 2>&1); then
  exit 0
fi
printf 'The tests fail. Fix them before you stop:\n%s\n' "$(printf '%s' "$output" | tail -n 40)" >&2
exit 2
