// The variables that hold credentials of model providers and their clouds. Loaded only to keep them from child processes.

const PROVIDERS = "AZURE_OPENAI|CEREBRAS|DEEPSEEK|GEMINI|GOOGLE|GROQ|MISTRAL|OPENAI|OPENROUTER|XAI|ZAI";
/** Of web searches. */
const SEARCHES = "BRAVE|TAVILY";
const KEY = new RegExp(`^(?:${PROVIDERS}|${SEARCHES})_API_KEY$`);
const CLOUD =
  /^(?:AWS|AZURE|GOOGLE|GCP|CLOUDSDK|VERTEX)_.*(?:KEY|KEY_ID|TOKEN|TOKEN_FILE|SECRET|PASSWORD|CREDENTIALS|URI)$/;
const NAMED = new Set(["GOOGLE_GHA_CREDS_PATH", "AWS_SHARED_CREDENTIALS_FILE", "AZURE_CLIENT_CERTIFICATE_PATH"]);

export function isCredential(name: string): boolean {
  const upper = name.toUpperCase();
  return KEY.test(upper) || CLOUD.test(upper) || NAMED.has(upper);
}
