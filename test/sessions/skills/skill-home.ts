// What the skill tests share: files of skills, and short ways to read what the model got.

import { runKeelson, startMockModel, type Ended, type RecordedRequest, type TemporaryHome } from "@keelson/testkit";
import { STREAM } from "../front-door.ts";

export const HEADER = "The following skills are available for use with the Skill tool:";

/** Writes `SKILL.md` into the project, or into `folder` of it. Returns the folder of the skill. */
export function addSkill(home: TemporaryHome, name: string, head: string, body = "Do it", folder = ""): string {
  const file = home.write(`${folder}.claude/skills/${name}/SKILL.md`, `---\n${head}\n---\n${body}\n`);
  return file.slice(0, -"/SKILL.md".length);
}

export function trust(home: TemporaryHome): void {
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
}

export interface SkillRun extends Ended {
  readonly requests: readonly RecordedRequest[];
}

/** One `-p` run against these replies. */
export async function play(
  home: TemporaryHome,
  prompt: string,
  replies: readonly object[] = [{ text: "done" }],
  flags: readonly string[] = [],
): Promise<SkillRun> {
  await using model = await startMockModel(replies as never);
  const ended = await runKeelson(["-p", prompt, ...STREAM, ...flags], { home, url: model.url });
  return { ...ended, requests: [...model.requests] };
}

export const invoke = (skill: string, args?: string) => ({
  calls: [{ name: "Skill", input: { skill, ...(args === undefined ? {} : { args }) } }],
});

export const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

/** The texts of all blocks of a message. */
export function textsOf({ content }: { content: unknown }): readonly string[] {
  if (typeof content === "string") return [content];
  return (content as any[]).map((block) => {
    if (typeof block.content === "string") return block.content;
    return block.text ?? block.content?.map(({ text }: any) => text).join("") ?? block.type;
  });
}

/** The lists of skills in a request, without the header. */
export function listingsIn(request: RecordedRequest): readonly string[] {
  const texts = request.body.messages.flatMap(textsOf) as string[];
  return texts.flatMap((text) =>
    [...text.matchAll(new RegExp(`${HEADER}\\n\\n([\\s\\S]*?)\\n</system-reminder>`, "g"))].map(([, list]) => list!),
  );
}

/** The last message of a request: results of calls and what follows them. */
export const lastOf = (request: RecordedRequest): readonly string[] => textsOf(request.body.messages.at(-1));
