import { ConfigError } from '../../../start/config.ts';

/** What a check has come to. */
export interface Finding {
  /** What was looked at. */
  check: string;
  /** warn: it works, for now. */
  state: 'ok' | 'warn' | 'fail';
  /** What is so, and where it is not well what to do. */
  message: string;
}

/** A check is a promise of what it found: it never rejects. */
export async function finding(
  check: string,
  look: () => Promise<Omit<Finding, 'check'>>,
  advice: string,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    // A setting that is refused says by itself what to do.
    if (error instanceof ConfigError) return { check, state: 'fail', message: error.message };
    return { check, state: 'fail', message: `${reasonOf(error).replace(/\.$/, '')}. ${advice}` };
  }
}

/** With what is behind it: that a store is away, a wrong password says as well as a wrong host. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Where all addresses of a host refused, Node says no more than the code.
  return `${error.message}: ${cause.message || (cause as NodeJS.ErrnoException).code}`;
}
