// The first start: a theme, and a model from what this machine has.

import { VERSION } from "@keelson/protocol/version";
import { LoginPanel, makeTheme, SetupPanel, THEME_CHOICES, type SetupAnswer } from "@keelson/tui/before";
import { noteProblem, type Asking } from "./ask-before.ts";
import { keepKeyAnswer, keepSetup } from "./answers.ts";
import { createLogins } from "../ports/logins.ts";
import { findModels, type OfferedModel } from "./find-models.ts";
import { keepModel } from "./keep-model.ts";

/** Whether to continue. */
export async function setUp(asking: Asking): Promise<boolean> {
  const { keys, plain, snapshot } = asking;
  const offers = await findModels(snapshot);
  let theme: string | undefined;
  for (;;) {
    const answer: SetupAnswer | undefined = await asking.show(setupPanel(asking, offers, theme));
    if (answer === undefined) return false;
    theme = answer.theme;
    if (answer.offer !== "login") {
      const isOffline = answer.offer === undefined && theme !== undefined;
      return keepAnswer(asking, { theme, offers, chosen: offers[answer.offer ?? -1], isOffline });
    }
    const logins = createLogins(() => asking.snapshot);
    const login = await asking.show((redraw) => new LoginPanel({ logins, redraw, keys, plain }));
    if (login === undefined) return false;
    if (login === null) continue;
    // The trust question and what follows come next, so the model is written as the others are.
    await logins.choose(login.model).catch((error: Error) => noteProblem(asking, error.message));
    noteProblem(asking, await keepSetup(snapshot, theme));
    return true;
  }
}

function setupPanel({ keys, plain, snapshot }: Asking, offers: readonly OfferedModel[], theme: string | undefined) {
  const { env, settings } = snapshot;
  const panel = new SetupPanel({
    keys,
    plain,
    version: VERSION,
    themes: THEME_CHOICES,
    current: theme ?? (typeof settings.theme === "string" ? settings.theme : "auto"),
    ...(theme === undefined ? {} : { chosen: theme }),
    themeFor: (name) => makeTheme({ settings: { ...settings, theme: name }, env }),
  });
  panel.setOffers(offers);
  return panel;
}

interface Chosen {
  readonly theme: string | undefined;
  readonly offers: readonly OfferedModel[];
  readonly chosen: OfferedModel | undefined;
  readonly isOffline: boolean;
}

async function keepAnswer(asking: Asking, { theme, offers, chosen, isOffline }: Chosen): Promise<true> {
  const { snapshot, io } = asking;
  noteProblem(asking, await keepSetup(snapshot, theme));
  const key = io.env["ANTHROPIC_API_KEY"]?.trim();
  if (chosen?.approvesKey && key) noteProblem(asking, await keepKeyAnswer(snapshot, key, true));
  if (chosen !== undefined) noteProblem(asking, await keepModel(chosen, snapshot));
  // Someone who turned down what was found does not want it to be used anyway.
  else if (isOffline && offers.length > 0) noteProblem(asking, await keepModel({ ...OFFLINE }, snapshot));
  return true;
}

const OFFLINE = { title: "", detail: "", model: "offline" };
