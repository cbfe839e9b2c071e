// What the aliases mean, from the one table of them (packages/model/src/profiles/profiles.ts; its test has the ids).

import { lookUpModel } from "@keelson/model";

const [OPUS, SONNET, HAIKU, FABLE] = ["opus", "sonnet", "haiku", "fable"].map(
  (alias) => lookUpModel(alias).profile.id,
) as [string, string, string, string];

export { FABLE, HAIKU, OPUS, SONNET };
