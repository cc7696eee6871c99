import { ConfigError } from '../../../start/config.ts';

/** The result of a check. */
export interface Finding {
  /** The subject of the check. */
  check: string;
  /** warn: it works, for now. */
  state: 'ok' | 'warn' | 'fail';
  /** The state found and, if there is a problem, the remedy. */
  message: string;
}

/** Runs a check; an error becomes a finding, so the promise never rejects. */
export async function finding(
  check: string,
  look: () => Promise<Omit<Finding, 'check'>>,
  advice: string,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    // The message of a refused setting contains the remedy.
    if (error instanceof ConfigError) return { check, state: 'fail', message: error.message };
    return { check, state: 'fail', message: `${reasonOf(error).replace(/\.$/, '')}. ${advice}` };
  }
}

/** The message with its cause: both a wrong password and a wrong host make a store unavailable. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Where every address of a host refused the connection, Node's error has a code only.
  return `${error.message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`;
}
