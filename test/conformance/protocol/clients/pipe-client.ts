// A client on the bare pipe: lines out, lines in, every question answered as the row says. It checks nothing it is told.

import { spawn } from "node:child_process";
import type { Client, Open } from "../play.ts";
import { flagsOf, initializeOf } from "./pipe-start.ts";
import type { End } from "../scenario.ts";
import { talk } from "./talk.ts";

export const openPipe: Open = (start, answers, place, book): Client => {
  const [program, ...words] = place.program;
  const kept = start.enableFileCheckpointing ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" } : {};
  const env = { ...place.env, ...kept };
  const child = spawn(program!, [...words, ...flagsOf(start, answers)], { cwd: place.project, env });
  child.stdin.on("error", () => {});
  let [stderr, rest] = ["", ""];
  const write = (line: string | object) =>
    void child.stdin.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
  const { take, ask, askAs, end } = talk(answers, book, write);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) take(JSON.parse(line));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));

  const first = initializeOf(start, answers);
  if (first !== undefined) void askAs("initialize", first);
  return {
    say: write,
    ask,
    line: (line) => write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`),
    endInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    close: () => void child.stdin.end(),
    ended: new Promise<End>((resolve) => {
      child.once("close", (code, signal) => {
        end();
        resolve({ code, signal, stderr });
      });
    }),
  };
};
