import type { Command } from 'commander';

/** Writes the result of a command to standard output: with --json as one JSON document, else as text for people. */
export function show(command: Command, result: unknown, asText: () => string): void {
  const text = wantsJson(command) ? JSON.stringify(result) : asText();
  if (text !== '') process.stdout.write(`${text}\n`);
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals().json === true;
}

/** Rows below their headings; each column is as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Such as "1 event" or "2 events". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
