import { UnreadableWorkbook } from '../workbook.ts';

/** The text of a document: in the encoding that its first bytes tell, or that its declaration names. */
export async function* decodeXml(part: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  const decode = (chunk: Uint8Array, stream: boolean) => {
    try {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
      return decoder.decode(chunk, { stream });
    } catch (cause) {
      throw new UnreadableWorkbook(`its part ${part} is not text in its encoding`, { cause });
    }
  };
  for await (const chunk of bytes) yield decode(chunk, true);
  if (decoder) yield decode(new Uint8Array(), false);
}

const DECLARED = /^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

function encodingOf(start: Uint8Array): string {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  const declared = DECLARED.exec(Buffer.from(start.subarray(0, 200)).toString('latin1'))?.[1];
  // A declaration that can be read byte by byte is in no encoding of two bytes a letter, whatever it says.
  return declared === undefined || /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
