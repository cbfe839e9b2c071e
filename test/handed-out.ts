// A stream whose items a test hands out one by one. Runs in any runtime.

export function handedOut<Item>(): { give(item: Item): void; end(): void; items: AsyncIterable<Item> } {
  const waiting: (Item | undefined)[] = [];
  let arrived = () => {};
  const put = (item: Item | undefined) => {
    waiting.push(item);
    arrived();
  };
  async function* items() {
    for (;;) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
      const item = waiting.shift();
      if (item === undefined) return;
      yield item;
    }
  }
  return { give: put, end: () => put(undefined), items: items() };
}
