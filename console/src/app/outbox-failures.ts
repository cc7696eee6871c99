import { AtriumError } from '../../../client/src/index.ts';
import { mayPass } from '../../../client/src/retrying.ts';
import { Refused } from './session.ts';

/**
 * What a failure says of a write: the session has ended before it was done; it may pass by itself; the server, or something
 * between here and there, has failed at this write, which is then not done; or it was refused.
 */
export type Failure = 'session ended' | 'passing' | 'failed' | 'refused';

export function failureOf(error: unknown): Failure {
  if (error instanceof AtriumError && error.status === 401) return 'session ended';
  if (error instanceof Refused || mayPass(error)) return 'passing';
  const isOfServer = error instanceof AtriumError && error.status < 500 && error.code !== 'unknown';
  return error instanceof AtriumError && !isOfServer ? 'failed' : 'refused';
}
