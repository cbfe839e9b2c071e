// The classifier of auto mode: asks the model about calls that no rule decides. After too many denials it is not used
// again in the session.

import {
  ModelError,
  type GateDecision,
  type ModelChoice,
  type ModelRequest,
  type PermitRequest,
} from "@keelson/engine";
import {
  afterVerdict,
  classifierRequest,
  countVerdict,
  isSpent,
  needsClassifier,
  NO_DENIALS,
  readVerdict,
  type AutoRules,
  type Classified,
} from "@keelson/engine/auto";
import type { ModelMessage, PermissionMode, Signal, Usage } from "@keelson/protocol";
import { sendSideRequest } from "../model/side-request.ts";

export interface ClassifierOptions {
  rules(): AutoRules & { readonly classifyAllShell?: boolean };
  model(): ModelChoice;
  conversation(): readonly ModelMessage[];
  directories(): readonly string[];
  cwd(): string;
  charge(usage: Usage, model: string, durationMs: number): void;
  show(signal: Signal): void | Promise<void>;
  now(): number;
}

export class Classifier {
  readonly #options: ClassifierOptions;
  #denials = NO_DENIALS;

  constructor(options: ClassifierOptions) {
    this.#options = options;
  }

  /** Returns the classifier's decision, or the given one if the classifier does not apply. */
  async judge(
    decision: GateDecision,
    mode: PermissionMode,
    { tool, input, access }: PermitRequest,
    signal: AbortSignal,
  ): Promise<GateDecision> {
    const rules = this.#options.rules();
    if (!needsClassifier(decision, mode, { access, everyCommand: rules.classifyAllShell })) return decision;
    if (isSpent(this.#denials)) return decision;
    const { model, conversation, directories, cwd } = this.#options;
    const request = classifierRequest(
      {
        tool: tool.name,
        input,
        reason: "reason" in decision ? decision.reason : "",
        directories: directories(),
        cwd: cwd(),
        conversation: conversation(),
        rules,
      },
      model(),
    );
    const verdict = await this.#ask(request, signal);
    this.#denials = countVerdict(this.#denials, verdict);
    if (verdict.verdict !== "allow") this.#showVerdict(verdict);
    return afterVerdict(decision, verdict);
  }

  async #ask(request: ModelRequest, signal: AbortSignal): Promise<Classified> {
    const { model, charge, now } = this.#options;
    try {
      return readVerdict(await sendSideRequest({ model: model(), request, signal, charge, now }));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return { verdict: "unclear", reason: `the classifier request failed (${error.message})` };
    }
  }

  #showVerdict({ verdict, reason }: Classified): void {
    const { inARow, inAll } = this.#denials;
    const what = verdict === "deny" ? "denied the call" : "gave no verdict";
    const rest = isSpent(this.#denials) ? "; not used again in this session" : "";
    void this.#options.show({
      type: "system",
      subtype: "informational",
      level: "notice",
      content: `Auto mode: the classifier ${what}: ${reason} (${inARow} in a row, ${inAll} total${rest})`,
    });
  }
}
