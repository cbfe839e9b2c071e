// Plugins as clients see them: in `initialize`, `init` and `reload_plugins`.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, resultOf, STREAM } from "../front-door.ts";

function addPlugin(home: TemporaryHome): string {
  home.write("~/tools/.claude-plugin/plugin.json", { name: "tools", version: "1.2.0" });
  home.write("~/tools/skills/deploy/SKILL.md", "---\ndescription: Ship it\n---\nShip from ${CLAUDE_PLUGIN_ROOT}");
  home.write("~/tools/commands/fix.md", "Fix $ARGUMENTS");
  return join(home.home, "tools");
}

test("a client brings a plugin with initialize, and its skills can be typed", async () => {
  using home = temporaryHome();
  const root = addPlugin(home);
  await using model = await startMockModel([{ text: "done" }]);
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(control("1", { subtype: "initialize", plugins: [{ type: "local", path: root }, { type: "odd" }] }));
  const { json } = await program.waitForLine(({ type }) => type === "control_response");
  const { response } = (json as any).response;
  expect(response.plugins_applied).toBe(true);
  expect(response.commands).toEqual(
    expect.arrayContaining([
      { name: "tools:deploy", description: "(tools) Ship it", argumentHint: "" },
      expect.objectContaining({ name: "tools:fix" }),
    ]),
  );
  program.send(prompt("/tools:deploy"));
  await program.waitForLine(({ type }) => type === "result");
  program.send(control("2", { subtype: "reload_plugins" }));
  const again = await program.waitForLine(({ response: each }) => each?.request_id === "2");
  program.closeStdin();
  const ended = await program.done;
  const plugins = [{ name: "tools", path: root, source: "tools@inline", version: "1.2.0" }];
  expect(messagesOf(ended, "system/init")[0].plugins).toEqual(plugins);
  expect((again.json as any).response.response).toMatchObject({ plugins, error_count: 0 });
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain(`Ship from ${root}`);
});

test("a plugin that cannot be loaded is named in init, and the run continues", async () => {
  using home = temporaryHome();
  home.write("~/broken/.claude-plugin/plugin.json", { name: 7 });
  await using model = await startMockModel([{ text: "done" }]);
  const path = join(home.home, "broken");
  const ended = await runKeelson(["-p", "hi", ...STREAM, "--plugin-dir", path], { home, url: model.url });
  expect(resultOf(ended).result).toBe("done");
  const [init] = messagesOf(ended, "system/init");
  expect(init.plugins).toEqual([]);
  expect(init.plugin_errors).toEqual([
    expect.objectContaining({ type: "invalid", message: expect.stringContaining("plugin.json:2") }),
  ]);
});
