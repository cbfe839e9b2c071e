// The output styles that come with Keelson. Besides them there is "default", which is no text at all.

import type { PromptStyle } from "../system-prompt.ts";
import concise from "./concise.md" with { type: "text" };
import explanatory from "./explanatory.md" with { type: "text" };
import learning from "./learning.md" with { type: "text" };
import proactive from "./proactive.md" with { type: "text" };

export interface BuiltInStyle extends PromptStyle {
  readonly description: string;
}

const style = (name: string, description: string, text: string): BuiltInStyle => ({
  name,
  description,
  text: text.trim(),
  keepsCoding: true,
});

export const BUILT_IN_STYLES: readonly BuiltInStyle[] = [
  style("Proactive", "Works on its own and asks only when it must", proactive),
  style("Concise", "Answers in as few words as possible", concise),
  style("Explanatory", "Explains why the code is the way it is", explanatory),
  style("Learning", "Leaves small parts for you to write", learning),
];
