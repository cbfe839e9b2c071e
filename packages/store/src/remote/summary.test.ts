import { expect, test } from "bun:test";
import { foldSessionSummary } from "./summary.ts";
import type { SessionStoreEntry } from "./session-store.ts";

const key = { projectKey: "p", sessionId: "s" };
const asked = (content: unknown, more: object = {}): SessionStoreEntry => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});

test("folding entries one by one gives the same as folding all at once", () => {
  const entries: SessionStoreEntry[] = [
    { type: "queue-operation", timestamp: "2026-01-01T00:00:00.000Z" },
    asked("<local-command-stdout>noise</local-command-stdout>"),
    asked("<command-name>/review</command-name>"),
    asked([{ type: "text", text: "what is\n here?" }], {
      cwd: "/home/u",
      gitBranch: "main",
      isSidechain: false,
      entrypoint: "cli",
    }),
    asked("something else", { cwd: "/elsewhere", gitBranch: "topic" }),
    { type: "custom-title", customTitle: "Old" },
    { type: "custom-title", customTitle: "New" },
    { type: "tag", tag: "a" },
    { type: "last-prompt", lastPrompt: "something else" },
  ];
  const expected = {
    sessionId: "s",
    mtime: 7,
    data: {
      isSidechain: false,
      createdAt: Date.UTC(2026, 0, 1),
      firstPrompt: "what is here?",
      firstPromptLocked: true,
      cwd: "/home/u",
      entrypoint: "cli",
      gitBranch: "topic",
      customTitle: "New",
      tag: "a",
      lastPrompt: "something else",
    },
  };

  expect(foldSessionSummary(undefined, key, entries, { mtime: 7 })).toEqual(expected);
  let summary = foldSessionSummary(undefined, key, []);
  for (const entry of entries) summary = foldSessionSummary(summary, key, [entry], { mtime: 7 });
  expect(summary).toEqual(expected);
  expect(foldSessionSummary(summary, key, [{ type: "tag", tag: "" }]).data["tag"]).toBeUndefined();
});

test("a slash command is used as the prompt until there is one", () => {
  const command = foldSessionSummary(undefined, key, [asked("<command-name>/review</command-name>")]);
  expect(command.data["firstPrompt"]).toBe("/review");
  expect(foldSessionSummary(command, key, [asked("hello")]).data["firstPrompt"]).toBe("hello");
});
