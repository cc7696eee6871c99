import type { Content } from '../../../client/src/index.ts';

/** A page of text; beyond that a browser gets slow. */
const MOST = 200_000;

/** The beginning of content as text. What is beyond it is not loaded. */
export async function beginningOf(content: Content): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of content) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST) return { text: text.slice(0, MOST), isCut: true };
  }
  return { text: text + decoder.decode(), isCut: false };
}
