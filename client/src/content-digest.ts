/**
 * A Content-Digest of RFC 9530. Undefined where the runtime cannot make one: browsers can on pages that came by TLS or
 * from their own host.
 */
export async function contentDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (!crypto.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
