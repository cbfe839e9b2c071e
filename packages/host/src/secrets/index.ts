export { openBrowser, type BrowserOptions } from "../browser.ts";
export { hideInput } from "./hidden-input.ts";
export { listenForRedirect, type RedirectListener, type RedirectListenerOptions } from "../redirect-listener.ts";
export { openSecretStore, type SecretStore, type SecretStoreOptions } from "./secret-store.ts";
export { pluginSecretKey } from "./plugin-secret.ts";
export { hasSecret, providerSecretKey } from "./provider-key.ts";
export { openSignInMemory, type SignInMemory } from "./sign-in-needed.ts";
