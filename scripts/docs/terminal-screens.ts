// Makes the pictures in docs/terminal: `bun scripts/docs/terminal-screens.ts`. Each is what a terminal shows at one moment
// of a real run in front of the scripted model.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, type ScriptStep, type TemporaryHome } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import type { JsonObject } from "@keelson/protocol";
import { root } from "../root.ts";
import { screenSvg } from "./screen-svg.ts";

export interface Scene {
  readonly name: string;
  readonly title: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly args?: readonly string[];
  readonly script: readonly ScriptStep<JsonObject>[];
  /** Brings the screen to the moment. */
  play(terminal: TestTerminal): Promise<void>;
}

/** The prompt is empty and free. */
const PROMPT = /^❯\s*$/m;
const KEPLER = `// Solves Kepler's equation by Newton's method.
export function eccentricAnomaly(mean, eccentricity) {
  let anomaly = mean;
  for (let step = 0; step < 10; step++) {
    anomaly -= (anomaly - eccentricity * Math.sin(anomaly) - mean) / (1 - eccentricity * Math.cos(anomaly));
  }
  return anomaly;
}
`;
const EDIT = {
  name: "Edit",
  input: { file_path: "src/kepler.js", old_string: "step < 10; step++", new_string: "step < 12; step++" },
};
const READ = { name: "Read", input: { file_path: "src/kepler.js" } };
const ANSWER = `\`eccentricAnomaly\` solves **Kepler's equation** by Newton's method:

\`\`\`js
for (let step = 0; step < 10; step++) {
  anomaly -= (anomaly - e * Math.sin(anomaly) - mean) / (1 - e * Math.cos(anomaly));
}
\`\`\`

| Planet  | Eccentricity | Steps |
| ------- | -----------: | ----: |
| Venus   |        0.007 |     2 |
| Mars    |        0.093 |     3 |
| Mercury |        0.206 |     4 |

Ten steps are more than any planet needs.`;
const QUESTION = {
  question: "What should happen when the method does not converge?",
  header: "Failure",
  multiSelect: false,
  options: [
    { label: "Throw an error", description: "Callers see at once that the orbit is not usable" },
    { label: "Return NaN", description: "As the functions of Math do" },
    { label: "Bisect", description: "Slower, but it always converges" },
  ],
};
const PLAN = `## Stop when the change is small

1. Add a tolerance of 1e-12 to \`eccentricAnomaly\`
2. Leave the loop when the change is smaller
3. Test it with the orbit of Mercury`;

const ask = (text: string, ...shown: readonly (string | RegExp)[]) =>
  async function play(terminal: TestTerminal) {
    terminal.type(text);
    terminal.press("enter");
    for (const each of shown) await terminal.until(each);
  };

export const scenes: readonly Scene[] = [
  {
    name: "answer",
    title: "An answer with code and a table",
    script: [{ calls: [READ] }, { text: ANSWER }],
    play: ask("how does the solver work?", "than any planet needs", PROMPT),
  },
  {
    name: "edit",
    title: "A change to a file, and the question about it",
    script: [{ calls: [READ] }, { text: "I raise the limit.", calls: [EDIT] }],
    play: ask("allow two more steps", /\d\. No/),
  },
  {
    name: "question",
    title: "A question of the model",
    script: [{ calls: [{ name: "AskUserQuestion", input: { questions: [QUESTION] } }] }],
    play: ask("make the solver robust", "3. Bisect"),
  },
  {
    name: "plan",
    title: "A plan to approve",
    args: ["--permission-mode", "plan"],
    script: [{ calls: [{ name: "ExitPlanMode", input: { plan: PLAN } }] }],
    play: ask("plan an early end of the loop", "1. Yes"),
  },
  {
    name: "context",
    title: "What the context window holds",
    script: [{ text: "Hello." }],
    play: ask("/context", "Esc close"),
  },
  {
    name: "transcript",
    title: "The transcript viewer",
    rows: 24,
    script: [
      { calls: [READ, { name: "Grep", input: { pattern: "eccentric", path: "src" } }] },
      { text: "In one file." },
    ],
    async play(terminal) {
      await ask("where are eccentric orbits solved?", "In one file.", PROMPT)(terminal);
      terminal.press("ctrl+o");
      await terminal.until("Transcript");
    },
  },
  {
    name: "narrow",
    title: "A question about a command in 40 columns",
    columns: 40,
    rows: 24,
    script: [{ text: "I run the tests.", calls: [{ name: "Bash", input: { command: "npm test -- --grep Mercury" } }] }],
    play: ask("is Mercury right?", /\d\. No/),
  },
];

/** The picture of a scene. */
export async function drawScene(scene: Scene): Promise<string> {
  const { columns = 96, rows = 32 } = scene;
  using home = temporaryHome();
  const project = prepare(home);
  await using model = await startMockModel(scene.script);
  const args = [...(scene.args ?? [])];
  const env = { COLORTERM: "truecolor" };
  await using terminal = startTerminal({ home, cwd: project, url: model.url, columns, rows, args, env });
  await terminal.until(/^❯/m);
  await scene.play(terminal);
  // The name of a plan is made of words chosen by chance, and a slow machine takes a second.
  const bytes = terminal.bytes
    .replaceAll(home.home, "/home/you")
    .replace(/plans\/[a-z-]+\.md/g, "plans/quiet-copper-tide.md")
    .replace(/\b\d+s ·/g, "0s ·");
  return screenSvg(bytes, { columns, rows, title: scene.title });
}

/** `~/orrery`, trusted, with one file. */
function prepare(home: TemporaryHome): string {
  const project = join(home.home, "orrery");
  mkdirSync(project);
  home.write("~/orrery/src/kepler.js", KEPLER);
  // Nothing that moves or is chosen by chance.
  home.settings({
    showTurnDuration: false,
    spinnerTipsEnabled: false,
    prefersReducedMotion: true,
    spinnerVerbs: { mode: "replace", verbs: ["Working"] },
  });
  home.write("~/.claude.json", {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["test-key"], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true } },
  });
  return project;
}

if (import.meta.main) {
  const folder = join(root, "docs", "terminal");
  for (const scene of scenes) await Bun.write(join(folder, `${scene.name}.svg`), await drawScene(scene));
}
