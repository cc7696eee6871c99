/** Set in the storage of the browser while a user has something to upload. */
function flagOf(userId: string): string {
  return `atrium-uploads:${userId}`;
}

export function hasPendingUploads(userId: string): boolean {
  return localStorage.getItem(flagOf(userId)) !== null;
}

/** Remembers whether a user has something to upload: a page knows it without loading what uploads. */
export function rememberUploads(userId: string, arePending: boolean): void {
  try {
    if (arePending) localStorage.setItem(flagOf(userId), '1');
    else localStorage.removeItem(flagOf(userId));
  } catch {
    // Without room they go on with the next visit to the files.
  }
}

let close: () => void = () => undefined;

/** What uploads tells how it is ended: with the session, whatever has opened it. */
export function onSessionEnd(end: () => void): void {
  close = end;
}

/** Ends the uploads of a session that has ended. */
export function closeUploads(): void {
  close();
}
