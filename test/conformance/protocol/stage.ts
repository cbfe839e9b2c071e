// Where a scenario is played: a home, a model that says what the row says, and someone who opens its gates.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  readTranscript,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type Failure,
  type ScriptedReply,
} from "@keelson/testkit";
import type { Place } from "./play.ts";
import type { Run, RunSeen, Said, Scenario, Seen } from "./scenario.ts";

export interface Stage extends AsyncDisposable {
  readonly place: Place;
  /** The runs, with paths filled in. */
  readonly runs: readonly Run[];
  observe(runs: readonly RunSeen[]): Seen;
}

export async function setStage({ says = [], files = {}, settings, then = [], ...first }: Scenario): Promise<Stage> {
  const home = temporaryHome();
  const here = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll("<project>", home.project).replaceAll("<root>", home.root)) as T;
  const away = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(home.project, "<project>").replaceAll(home.root, "<root>")) as T;
  for (const [path, text] of Object.entries(files)) home.write(path, text);
  if (settings !== undefined) home.settings(here(settings));
  const before = new Set(filesIn(home.project));

  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gate = (name: string) => {
    if (!gates.has(name)) gates.set(name, Promise.withResolvers());
    return gates.get(name)!;
  };
  const held = (said: Said): ScriptedReply | Failure => {
    const { hold, ...rest } = said as { hold?: string };
    return (hold === undefined ? rest : { ...rest, hold: gate(hold).promise }) as ScriptedReply;
  };
  const model = await startMockModel(here(says).map(held));
  const directions = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    // Waiting is what it is for.
    idleTimeout: 0,
    async fetch({ url }) {
      const [what, which] = new URL(url).pathname.slice(1).split("/");
      if (what === "model") await model.waitForRequest(Number(which));
      else gate(which!).resolve();
      return new Response("done");
    },
  });

  const { options, env, answers, steps } = first;
  return {
    place: {
      project: home.project,
      directions: `http://127.0.0.1:${directions.port}`,
      env: { ...home.env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test-key" },
      program: programIn(home.root),
    },
    runs: here([{ options, env, answers, steps }, ...then]),
    observe(runs) {
      const shown = away(runs);
      const made = filesIn(home.project).filter((path) => !before.has(path) || path in files);
      return {
        ...shown.at(-1)!,
        runs: shown,
        requests: away(model.requests.map(({ body }) => body)),
        files: Object.fromEntries(made.map((path) => [path, readFileSync(join(home.project, path), "utf8")])),
        transcripts: transcriptFiles(home).map((path) => away(path)),
        entries: transcriptFiles(home).length === 1 ? away(readTranscript(home)) : [],
        config: existsSync(home.configDir) ? readdirSync(home.configDir) : [],
      };
    },
    async [Symbol.asyncDispose]() {
      await directions.stop(true);
      await model.close();
      home.remove();
    },
  };
}

/** $KEELSON_BIN, else the source tree. */
export function programIn(root: string): readonly string[] {
  const built = process.env["KEELSON_BIN"];
  if (built) return [built];
  const config = join(root, "empty.toml");
  if (!existsSync(config)) writeFileSync(config, "");
  const source = fileURLToPath(new URL("../../../packages/cli/src/bin.ts", import.meta.url));
  return [process.execPath, "--no-env-file", `--config=${config}`, source];
}

const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((path) => statSync(join(folder, path)).isFile()).sort();
