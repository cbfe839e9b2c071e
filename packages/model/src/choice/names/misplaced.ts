// A name without a provider leads to Anthropic: where Anthropic cannot be asked, or has no such model, this finds what was
// probably meant. Loaded only then.

import { ModelError } from "@keelson/engine";
import { PROVIDERS, providerNamed } from "../known/providers.ts";
import { registeredIds } from "../known/registry.ts";
import type { NameFacts } from "./names.ts";

/** What was probably meant. Undefined if nothing is set up at all, and the name may be one of Anthropic. */
export function misplacedName(
  name: string,
  { providers = {} }: NameFacts,
  ready: readonly string[],
): ModelError | undefined {
  const provider = Object.hasOwn(providers, name) ? name : providerNamed(name);
  if (provider !== undefined && provider !== "anthropic")
    return wrong(`"${name}" is a provider, not a model; ${choice(provider)}`);
  const problem = modelOfAnother(name, ready);
  if (problem) return problem;
  const [other] = ready;
  if (other === undefined) return undefined;
  return wrong(
    `"${name}" names no provider, which means Anthropic, and that is not set up; ${choice(other)}, or set ANTHROPIC_API_KEY`,
  );
}

/** Undefined if no other provider is known to have a model of this name. */
export function modelOfAnother(name: string, ready: readonly string[]): ModelError | undefined {
  const makers = Object.keys(PROVIDERS).filter((each) => each !== "anthropic" && registeredIds(each).includes(name));
  const maker = makers.find((each) => ready.includes(each)) ?? makers[0];
  return maker === undefined ? undefined : wrong(`"${name}" is a model of ${maker}; use --model ${maker}/${name}`);
}

const choice = (provider: string) => `use --model ${provider}/ID (keelson models ${provider} lists them)`;

const wrong = (message: string) => new ModelError("invalid_request", message);
