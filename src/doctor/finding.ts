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
    const reason = error instanceof Error ? error.message : String(error);
    return { check, state: 'fail', message: `${reason.replace(/\.$/, '')}. ${advice}` };
  }
}
