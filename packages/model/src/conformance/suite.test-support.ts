// What every dialect must do, against a strict server of its own. A dialect takes part by calling `testDialect` with
// itself; the cases know nothing about any of them.

import { conversationCases } from "./conversation.test-support.ts";
import { failureCases } from "./failures.test-support.ts";
import { historyCases } from "./histories.test-support.ts";
import { replyCases } from "./replies.test-support.ts";
import type { DialectUnderTest } from "./support.test-support.ts";

export function testDialect(dialect: DialectUnderTest): void {
  replyCases(dialect);
  conversationCases(dialect);
  failureCases(dialect);
  historyCases(dialect);
}
