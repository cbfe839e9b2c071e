// Recognizes that a request did not fit in the model's context window, whatever the server calls it.

const TEXTS: readonly RegExp[] = [
  /context_length_exceeded/i,
  /exceed_context_size_error/i,
  /maximum context length/i,
  /exceeds? (?:the )?(?:model'?s )?context (?:window|length|limit)/i,
  /exceeded (?:the )?(?:model'?s )?context (?:window|length|limit)/i,
  /exceeds the available context size/i,
  /context size has been exceeded/i,
  /context length is only \d+/i,
  /context the overflows|greater than the context length/i,
  /prompt too long; exceeded/i,
  /(?:prompt|input) is too long/i,
  /reduce the length/i,
  /maximum prompt length is/i,
  /(?:input|prompt) token count[^]* (?:exceeds|only supports)/i,
  /context[ _]window[ _]exceed/i,
  /maximum context window|maximum (?:allowed )?input length/i,
  /longer than the (?:model'?s context|maximum model) length/i,
  /exceeded model token limit/i,
  /exceed max message tokens/i,
  /prompt exceeds max(?:imum)? length|model_max_prompt_tokens_exceeded/i,
  /(?:prompt|input) has [\d,]+ tokens, but/i,
  /range of input length/i,
  /number of (?:input )?tokens(?: in the prompt)? (?:exceeds|cannot exceed)/i,
  /too many input tokens/i,
  /`inputs` (?:tokens \+|must have less)/i,
  /request body too large for/i,
];

// Throttling of Bedrock, which sounds like it.
const NOT_OVERFLOW = /too many tokens, please wait/i;

export function isOverflow(text: string): boolean {
  return !NOT_OVERFLOW.test(text) && TEXTS.some((pattern) => pattern.test(text));
}

/** Less than this is not worth asking for. */
const LEAST_ROOM = 256;

/**
 * The most output that a request may ask for, if the server counted it as part of the prompt and that was too much.
 * Undefined if the prompt alone is too long, or if the message has no numbers.
 */
export function roomForOutput(text: string, maxTokens: number): number | undefined {
  const limit = numberIn(text, /(?:maximum context length is|context length is only)\s+([\d,]+)/i);
  const prompt =
    numberIn(text, /([\d,]+) (?:in|of|from) (?:the |your )?(?:messages|prompt|input)/i) ??
    numberIn(text, /(?:has|contains|have)(?: at least)? ([\d,]+) (?:input|prompt) tokens/i) ??
    numberIn(text, /([\d,]+) (?:input|prompt) tokens/i) ??
    sumOfParts(text);
  if (limit === undefined || prompt === undefined) return undefined;
  const room = limit - prompt;
  return room >= LEAST_ROOM && room < maxTokens ? room : undefined;
}

const TOO_LARGE =
  /too large|at most|less than or equal|less or equal|lower than|<=|exceed|maximum|must be between|range/i;

/** The most output that a model may be asked for, if the server says that so much was too much. */
export function outputLimit(text: string, asked: number): number | undefined {
  if (!TOO_LARGE.test(text)) return undefined;
  const numbers = [...text.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
  const limit = Math.max(...numbers.filter((number) => number < asked && number >= LEAST_LIMIT));
  return Number.isFinite(limit) ? limit : undefined;
}

const LEAST_LIMIT = 16;

/** OpenRouter names each part: "(1000 of text input, 200 of tool input, 32000 in the output)". */
function sumOfParts(text: string): number | undefined {
  const parts = [...text.matchAll(/([\d,]+) of (?:text|tool|image|file|audio) input/gi)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, [, digits]) => sum + Number(digits!.replaceAll(",", "")), 0);
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}
