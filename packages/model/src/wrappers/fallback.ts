// If a model stays overloaded or the server does not have it, sends this request to the next model on the list. Other
// errors pass through.

import { isToolResult, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import { ModelError, type ModelErrorKind, type ModelProvider, type ModelRequest } from "@keelson/engine";
import { EFFORT_BETA, LONG_CONTEXT_BETA, MAX_FALLBACKS, type KnownModel } from "../profiles/profiles.ts";

/** What another model can cure. */
const REASONS: ReadonlySet<ModelErrorKind> = new Set(["overloaded", "model_not_found"]);

export interface FallbackOptions {
  readonly models: readonly KnownModel[];
  /** Gives up early when overloaded; used while there is another model to try. */
  readonly hasty: ModelProvider;
  /** Uses all retries; used for the last model. */
  readonly patient: ModelProvider;
}

export function withFallback({ models, hasty, patient }: FallbackOptions): ModelProvider {
  return {
    id: patient.id,
    ...(patient.countTokens ? { countTokens: patient.countTokens.bind(patient) } : {}),
    async *stream(request, signal) {
      const others = models.filter(({ profile }) => profile.id !== request.model).slice(0, MAX_FALLBACKS);
      let current = request;
      for (const next of [...others, undefined]) {
        let started = false;
        let reason: string;
        try {
          for await (const event of (next ? hasty : patient).stream(current, signal)) {
            if (event.type === "notice") started &&= event.notice.type !== "restart";
            else started ||= event.type !== "ping";
            yield event;
          }
          return;
        } catch (error) {
          if (!next || !(error instanceof ModelError) || !REASONS.has(error.kind)) throw error;
          reason = error.kind;
        }
        if (started) yield { type: "notice", notice: { type: "restart" } };
        yield {
          type: "notice",
          notice: { type: "fallback", from: current.model, to: next.profile.id, reason },
        };
        current = requestFor(request, next);
      }
    },
  };
}

/** Adapts a request to what another model accepts. */
export function requestFor(request: ModelRequest, { profile, effort, longContext }: KnownModel): ModelRequest {
  const { thinking, output_config, betas, ...rest } = request;
  const max_tokens = Math.min(request.max_tokens, profile.maxTokens);
  const messages = withoutThinking(request.messages);
  const thought = thinkingFor(thinking, profile.thinking, max_tokens, messages);
  const { effort: requested, ...config } = output_config ?? {};
  const output = { ...config, ...(effort === undefined ? {} : { effort: requested ?? effort }) };
  const kept = betas.filter((beta) => beta !== LONG_CONTEXT_BETA && beta !== EFFORT_BETA);
  return {
    ...rest,
    model: profile.id,
    max_tokens,
    messages,
    ...(thought ? { thinking: thought } : {}),
    ...(Object.keys(output).length > 0 ? { output_config: output } : {}),
    betas: [...kept, ...(effort === undefined ? [] : [EFFORT_BETA]), ...(longContext ? [LONG_CONTEXT_BETA] : [])],
  };
}

function thinkingFor(
  requested: ModelRequest["thinking"],
  kind: KnownModel["profile"]["thinking"],
  maxTokens: number,
  messages: readonly ModelMessage[],
): ModelRequest["thinking"] {
  if (!requested || requested["type"] === "disabled" || kind === "none") return undefined;
  if (kind === "adaptive") return { type: "adaptive" };
  // With a fixed budget, a turn with a tool result must start with thinking, which we have just removed.
  const last = messages.at(-1)?.content;
  if (maxTokens <= 1024 || (Array.isArray(last) && last.some(isToolResult))) return undefined;
  const budget = typeof requested["budget_tokens"] === "number" ? requested["budget_tokens"] : maxTokens - 1;
  return { type: "enabled", budget_tokens: Math.min(budget, maxTokens - 1) };
}

/** Thinking is signed by the model that produced it; newer models reject thinking from another model. */
function withoutThinking(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const isThinking = ({ type }: ContentBlock) => type === "thinking" || type === "redacted_thinking";
  return messages.flatMap((message) => {
    if (typeof message.content === "string" || !message.content.some(isThinking)) return [message];
    const content = message.content.filter((block) => !isThinking(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}
