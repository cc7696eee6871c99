import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { writeFileFrom } from './file-output.ts';
import { wantsJson } from './output.ts';

/** The one document of --json goes where an export without a file would go. Throws InvalidArgumentError. */
export function refuseMixedOutput(output: string | undefined, command: Command): void {
  if (output !== undefined || !wantsJson(command)) return;
  throw new InvalidArgumentError('With --json, name the file that the export goes to with --output.');
}

/** Writes an export to a file, or to standard output where none is named. */
export async function writeOutput(
  chunks: AsyncIterable<string | Uint8Array>,
  output: string | undefined,
): Promise<void> {
  if (output !== undefined) return writeFileFrom(chunks, output);
  await pipeline(chunks, process.stdout, { end: false });
}
