// The floor: the minimum a Bun program can do in place of an agent. Without arguments it does nothing; with them it
// sends requests of a given size to the model and reads the replies.

const [url, count, bytes, transcript] = process.argv.slice(2);

if (url) {
  const history = transcript ? await parseLines(transcript) : [];
  const stdout = Bun.stdout.writer();
  const filler = "x".repeat(Number(bytes));
  for (let i = 0; i < Number(count); i++) {
    const body = JSON.stringify({ stream: true, tools: [{}], messages: history.length > 0 ? history : filler });
    const response = await fetch(`${url}/v1/messages`, { method: "POST", body });
    for await (const chunk of response.body ?? []) stdout.write(chunk);
    await stdout.flush();
  }
}

async function parseLines(path: string): Promise<unknown[]> {
  const lines = (await Bun.file(path).text()).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export {};
