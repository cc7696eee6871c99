import { getSystemErrorMessage } from 'node:util';
import { CommanderError, InvalidArgumentError } from 'commander';
import { AtriumError, ConnectionError } from '../../client/src/errors.ts';
import { ArchiveError } from '../archive/backup-directory.ts';
import { BlobsUnavailable } from '../blobs/blob-store.ts';
import { ApiError } from '../contract/errors.ts';
import type { Problem } from '../contract/operation.ts';
import { ConfigError } from '../start/config.ts';
import { NotDistributable, StorageUnavailable } from '../storage/database.ts';

const USAGE = 2;
const FAILED = 1;

/**
 * Writes the reason of a command's failure to standard error, and returns the exit code. Commander has already
 * written its own refusals as text.
 */
export function reportFailure(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const told = error instanceof CommanderError && !(error instanceof InvalidArgumentError);
  if (asJson) process.stderr.write(`${JSON.stringify({ error: describe(error) })}\n`);
  else if (!told) process.stderr.write(`error: ${sentence(error)}\n`);
  return error instanceof CommanderError ? USAGE : FAILED;
}

function describe(error: unknown): { code: string; message: string; details: unknown } {
  return {
    code: codeOf(error),
    message: messageOf(error),
    details: error instanceof ApiError || error instanceof AtriumError ? error.details : {},
  };
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof AtriumError) return error.code;
  if (error instanceof CommanderError) return 'usage';
  if (error instanceof ConfigError) return 'invalid_setting';
  if (error instanceof ArchiveError) return 'backup_unusable';
  if (error instanceof NotDistributable) return 'not_distributable';
  const isAway =
    error instanceof StorageUnavailable ||
    error instanceof BlobsUnavailable ||
    error instanceof ConnectionError;
  return isAway ? 'unavailable' : 'internal';
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConnectionError)
    return `${error.message.replace(/\.$/, '')}. ATRIUM_URL, or --url, says where the server is.`;
  const { path, errno } = error as NodeJS.ErrnoException;
  if (path === undefined || errno === undefined) return error.message;
  return `${path}: ${getSystemErrorMessage(errno)}.`;
}

/**
 * The message for people. For a refused value, it lists the problems: the error's own message refers to details,
 * which people do not see.
 */
function sentence(error: unknown): string {
  if (!(error instanceof ApiError && error.code === 'validation_failed')) return messageOf(error);
  const problems = error.details.errors as Problem[];
  return problems.map((problem) => `${nameOf(problem)}${problem.message}`).join(' ');
}

function nameOf(problem: Problem): string {
  const name = 'parameter' in problem ? problem.parameter : problem.pointer.slice(1);
  return name && `${name}: `;
}
