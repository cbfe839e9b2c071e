// Keys in settings files that look like one that was meant.

import { inspect, KEYS, load, type Inspection, type LoadSettingsOptions } from "@keelson/config";
import { didYouMean } from "../../args/nearest.ts";
import { shortenFrom } from "../permissions/words.ts";
import { placeText } from "./text.ts";

/** Known keys and the groups they are in. */
export function meantKey({ key, status }: Inspection["idle"][number]): string {
  if (status !== "unknown") return "";
  const names = KEYS.flatMap((each) => [each.key, each.key.split(".")[0]!]);
  return didYouMean(key, [...new Set(names)]);
}

/** Keys that look like one that was meant, a line each. Others may be of another program. */
export async function misspelledKeys(options: LoadSettingsOptions): Promise<readonly string[]> {
  const [{ idle }, { cwd, home }] = [await inspect(options), load(options)];
  const short = shortenFrom(cwd, home);
  return idle.flatMap((each) => {
    const meant = meantKey(each);
    return meant === "" ? [] : [`${placeText(each, short)}: unknown key "${each.key}"${meant}`];
  });
}
