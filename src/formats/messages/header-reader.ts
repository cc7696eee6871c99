import type { ParsedMessage } from './message.ts';
import { readFields } from './message-headers.ts';
import { charsetOf, type Part } from './part.ts';
import type { PartSink } from './part-scanner.ts';

/** Takes the header fields of a message, and nothing else of it. */
export class HeaderReader implements PartSink {
  /** Null until the header section is read. */
  headers: ParsedMessage['headers'] | null = null;

  open(part: Part): void {
    this.headers ??= readFields(part.fields, charsetOf(part));
  }

  data(): void {}

  close(): void {}
}
