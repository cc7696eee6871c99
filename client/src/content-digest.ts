/**
 * The Content-Digest (RFC 9530). Undefined when the runtime lacks Web Crypto: browsers provide it only in secure
 * contexts.
 */
export async function contentDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (!crypto.subtle) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
