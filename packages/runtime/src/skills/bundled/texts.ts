export async function bundledText(name: string): Promise<{ text: string; folder?: string }> {
  return { text: `Skill ${name}` };
}
