// The first start: a theme, and a model from what this machine has.

import { VERSION } from "@keelson/protocol/version";
import { makeTheme, SetupPanel, THEME_CHOICES } from "@keelson/tui/before";
import { noteProblem, type Asking } from "./ask-before.ts";
import { keepKeyAnswer, keepSetup } from "./answers.ts";
import { findModels } from "./find-models.ts";
import { keepModel } from "./keep-model.ts";

/** Whether to continue. */
export async function setUp(asking: Asking): Promise<boolean> {
  const { keys, plain, snapshot, io } = asking;
  const { env, settings } = snapshot;
  const offers = await findModels(snapshot);
  const panel = new SetupPanel({
    keys,
    plain,
    version: VERSION,
    themes: THEME_CHOICES,
    current: typeof settings.theme === "string" ? settings.theme : "auto",
    themeFor: (name) => makeTheme({ settings: { ...settings, theme: name }, env }),
  });
  panel.setOffers(offers);
  const answer = await asking.show(panel);
  if (answer === undefined) return false;
  noteProblem(asking, await keepSetup(snapshot, answer.theme));
  const chosen = answer.offer === undefined ? undefined : offers[answer.offer];
  const key = io.env["ANTHROPIC_API_KEY"]?.trim();
  if (chosen?.approvesKey && key) noteProblem(asking, await keepKeyAnswer(snapshot, key, true));
  if (chosen !== undefined) noteProblem(asking, await keepModel(chosen, snapshot));
  // Someone who turned down what was found does not want it to be used anyway.
  else if (answer.theme !== undefined && offers.length > 0)
    noteProblem(asking, await keepModel({ ...OFFLINE }, snapshot));
  return true;
}

const OFFLINE = { title: "", detail: "", model: "offline" };
