// All 33 events through `keelson hooks test`: the same scripts for each, and what every answer is read as. Also for
// events whose subject does not exist yet, which no session can fire.

import { expect, test } from "bun:test";
import { HOOK_EVENTS, type HookEvent } from "@keelson/protocol";
import { runKeelson, temporaryHome } from "@keelson/testkit";
import { inTurn } from "../drive.ts";
import { furnish } from "../furnish.ts";
import { EVENTS, expectedOf, FORMS, OUTPUTS, type Form, type Read } from "./forms.ts";
import { nameOf, says, script, type Hook } from "../row.ts";

const turn = inTurn(3);
const forms = Object.keys(FORMS) as Form[];

async function tried(event: HookEvent, hooks: readonly Hook[], input?: object): Promise<any> {
  using home = temporaryHome();
  furnish(home, { hooks: { [event]: hooks } });
  // Otherwise it does not choose where a session works.
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  const given = input ? ["--input", JSON.stringify(input)] : [];
  const env = { TOLD: `${home.root}/told` };
  const { stdout, stderr } = await runKeelson(["hooks", "test", event, "--json", ...given], {
    home,
    env,
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

function scriptOf(form: Form, event: HookEvent): Hook {
  const { stdout, stderr, exit } = FORMS[form] as { stdout?: string | object; stderr?: string; exit: number };
  const printed = typeof stdout === "object" ? JSON.stringify(stdout).replace('"EVENT"', `"${event}"`) : stdout;
  const out = printed === undefined ? "" : `printf '%s\\n' '${printed}'\n`;
  return script(`${out}${stderr === undefined ? "" : `echo ${stderr} >&2\n`}exit ${exit}`);
}

function readOf({ verdict, reason, context, stop, systemMessage, problem, fields }: any, name: string): Read {
  return {
    ...(verdict === undefined ? {} : { verdict }),
    ...(reason === undefined ? {} : { reason: reason.replaceAll(name, "NAME") }),
    ...(context.length === 0 ? {} : { context: context.join("\n") }),
    ...(stop === undefined ? {} : { stop: stop.replaceAll(name, "NAME") }),
    ...(systemMessage === undefined ? {} : { said: systemMessage }),
    ...(fields?.worktreePath === undefined ? {} : { worktree: fields.worktreePath }),
    ...(problem === undefined ? {} : { problem: true as const }),
  };
}

for (const event of HOOK_EVENTS) {
  test.concurrent(`${event}: every end and every form`, async () => {
    const facts = EVENTS[event];
    const outputs = OUTPUTS[event] ?? [];
    const hooks = [...forms.map((form) => scriptOf(form, event)), ...outputs.map(([output]) => says(event, output))];
    const { label, input, ran } = await turn(() => tried(event, hooks));
    const has = facts.has ?? [];
    const first = [
      "session_id transcript_path cwd",
      ...(has.includes("early") ? [] : ["prompt_id"]),
      ...(has.includes("mode") ? ["permission_mode"] : []),
      ...(has.includes("effort") && "effort" in input ? ["effort"] : []),
      "hook_event_name",
    ];
    expect({ label, keys: Object.keys(input).join(" ") }).toEqual({
      label: facts.label,
      keys: `${first.join(" ")} ${facts.keys}`,
    });
    const read = forms.map((form, at) => [form, readOf(ran[at].reply, nameOf(event, at + 1))]);
    expect(Object.fromEntries(read)).toEqual(Object.fromEntries(forms.map((form) => [form, expectedOf(facts, form)])));
    expect(ran.slice(forms.length).map(({ reply }: any) => reply)).toEqual(
      outputs.map(([, reply]) => ({ context: [], ...reply })),
    );
  });
}

test.concurrent("ConfigChange: nobody vetoes what the administrator decided", async () => {
  const hooks = (["exit 2", "block"] as const).map((form) => scriptOf(form, "ConfigChange"));
  const { outcome } = await turn(() => tried("ConfigChange", hooks, { source: "policy_settings" }));
  expect(outcome).toEqual({ reasons: [], context: [] });
});
