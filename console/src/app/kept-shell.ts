import { ownScript } from './own-scripts.ts';

const PREFIX = 'atrium-shell-';

/**
 * Has the browser keep the files with which the page begins, for a reload while the server is away (service-worker.ts). Browsers
 * do so only for pages over TLS or of this machine; elsewhere a reload without a server shows nothing, and loses nothing.
 */
export function keepShell(): void {
  const keep = () =>
    navigator.serviceWorker
      // What the page does works without it.
      ?.register(ownScript('/console/service-worker.js'), { scope: '/', updateViaCache: 'none' })
      .catch(() => undefined);
  // Not while the page is drawn for the first time.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void keep(), { timeout: 10_000 });
  else setTimeout(() => void keep(), 2000);
}

/** Takes away what keepShell has kept: whoever signs out leaves nothing of the program behind. */
export async function forgetShell(): Promise<void> {
  const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(registrations.map((registration) => registration.unregister()));
  if (!('caches' in globalThis)) return;
  const own = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(own.map((name) => caches.delete(name)));
}
