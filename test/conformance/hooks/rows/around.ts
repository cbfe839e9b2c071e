// InstructionsLoaded, CwdChanged and FileChanged: what a session loads, where it stands, what changes around it.

import { expect } from "bun:test";
import {
  answered,
  base,
  bash,
  DONE,
  early,
  exits,
  listens,
  prints,
  RAN,
  rowsOf,
  script,
  TOUCH,
  type Row,
} from "../row.ts";

const loads = rowsOf("InstructionsLoaded", { says: [DONE], files: { "CLAUDE.md": "Be kind\n" } });
const INSTRUCTIONS: readonly Row[] = [
  loads("is told of each file", listens, {
    told: [
      {
        ...early("InstructionsLoaded"),
        file_path: "<project>/CLAUDE.md",
        memory_type: "Project",
        load_reason: "session_start",
      },
    ],
  }),
  loads(
    "is told of what another file includes",
    listens,
    {
      told: expect.arrayContaining([
        {
          ...early("InstructionsLoaded"),
          file_path: "<project>/more.md",
          memory_type: "Project",
          load_reason: "include",
          parent_file_path: "<project>/CLAUDE.md",
        },
      ]),
    },
    { files: { "CLAUDE.md": "@./more.md\n", "more.md": "And brief\n" } },
  ),
  loads(
    "is told of a file that a call brought in",
    script("exit 0", { matcher: "nested_traversal" }),
    {
      told: [
        {
          ...base("InstructionsLoaded"),
          file_path: "<project>/sub/CLAUDE.md",
          memory_type: "Project",
          load_reason: "nested_traversal",
          trigger_file_path: "<project>/sub/a.txt",
        },
      ],
    },
    {
      files: { "sub/CLAUDE.md": "Be quick\n", "sub/a.txt": "a\n" },
      says: [{ calls: [{ name: "Read", input: { file_path: "<project>/sub/a.txt" } }] }, DONE],
    },
  ),
  loads(
    "nothing it says changes anything",
    exits(2, "no"),
    { result: answered },
    {
      hooks: { InstructionsLoaded: [exits(2, "no"), prints({ decision: "block", continue: false })] },
    },
  ),
  loads(
    "no call waits for it",
    script("sleep 60"),
    { files: RAN, result: answered },
    { says: [{ calls: [TOUCH] }, DONE] },
  ),
];

const ALL = { permissions: { allow: ["Bash"] } };
const moves = rowsOf("CwdChanged", {
  says: [{ calls: [bash("cd sub")] }, { calls: [TOUCH] }, DONE],
  settings: ALL,
  files: { "sub/x": "" },
});
const SURROUNDINGS: readonly Row[] = [
  moves(
    "is told from where to where",
    { type: "command", command: 'cat >> "$TOLD"' },
    {
      told: [{ ...base("CwdChanged"), cwd: "<project>/sub", old_cwd: "<project>", new_cwd: "<project>/sub" }],
      files: { "sub/ran": "" },
    },
  ),
  moves(
    "what it exports is there for the next command, and goes with the folder",
    { type: "command", command: 'echo "export HERE=$(basename "$PWD")" > "$CLAUDE_ENV_FILE"' },
    { files: { "sub/said": "sub\n", said: "project\n" } },
    {
      says: [
        { calls: [bash("cd sub")] },
        { calls: [bash('echo "$HERE" > said')] },
        { calls: [bash("cd ..")] },
        { calls: [bash('echo "$HERE" > said')] },
        DONE,
      ],
    },
  ),
  moves(
    "exit 2 is shown to people",
    { type: "command", command: "echo broken >&2; exit 2" },
    {
      files: { "sub/ran": "" },
      notices: [expect.stringContaining("broken")],
    },
  ),
  moves("staying put is no change", listens, { told: [] }, { says: [{ calls: [bash("cd . && touch ran")] }, DONE] }),
  {
    name: "is told of the files its matcher names",
    event: "FileChanged",
    hooks: { FileChanged: [script("touch heard", { matcher: "watched.txt|other.txt" })] },
    files: { "watched.txt": "before\n" },
    settings: ALL,
    says: [
      { calls: [bash("touch unwatched.txt; echo after > draft; mv draft watched.txt")] },
      { calls: [bash("n=0; until [ -e heard ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done")] },
      DONE,
    ],
    noticed: {
      told: [{ ...base("FileChanged"), file_path: "<project>/watched.txt", event: "change" }],
      files: { heard: "", "unwatched.txt": "" },
    },
  },
  {
    name: "is told of files another hook asked to watch, new and gone",
    event: "FileChanged",
    hooks: {
      SessionStart: [
        script(`echo '{"hookSpecificOutput":{"hookEventName":"SessionStart","watchPaths":["'"$PWD"'/new.txt"]}}'`),
      ],
      FileChanged: [script('case "$input" in *add*) touch added ;; *unlink*) touch gone ;; esac')],
    },
    settings: ALL,
    says: [
      {
        calls: [
          bash(
            "echo x > draft; mv draft new.txt; n=0; until [ -e added ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done",
          ),
        ],
      },
      { calls: [bash("unlink new.txt; n=0; until [ -e gone ] || [ $n -gt 200 ]; do n=$((n+1)); sleep 0.05; done")] },
      DONE,
    ],
    noticed: {
      told: [
        expect.objectContaining({ hook_event_name: "SessionStart" }),
        expect.objectContaining({ file_path: "<project>/new.txt", event: "add" }),
        expect.objectContaining({ file_path: "<project>/new.txt", event: "unlink" }),
      ],
      files: { added: "", gone: "" },
    },
  },
];

export const AROUND: readonly Row[] = [...INSTRUCTIONS, ...SURROUNDINGS];
