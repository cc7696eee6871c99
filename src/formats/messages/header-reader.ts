import type { Part } from './part.ts';
import type { PartSink } from './part-scanner.ts';

/** Takes the message itself, which its header section tells of, and nothing else of it. */
export class HeaderReader implements PartSink {
  /** Null until the header section is read. */
  root: Part | null = null;

  open(part: Part): void {
    this.root ??= part;
  }

  data(): void {}

  close(): void {}
}
