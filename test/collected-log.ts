import pino, { type Logger } from 'pino';

/** A log that a test looks into. */
export interface CollectedLog {
  log: Logger;
  /** All that was told so far, at any level. */
  text(): string;
}

export function collectedLog(): CollectedLog {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  return { log, text: () => lines.join('') };
}
