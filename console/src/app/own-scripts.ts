/** The scripts that this server has built: those of the pages, and the one that keeps the page for when it is away. */
const OWN = /^\/console\/(?:assets\/[\w-]+\.js|service-worker\.js)$/;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): unknown };
}

// The policy of the page (SIGN-29) names this one, and lets nobody make another.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('atrium', {
  createScriptURL: checked,
});

/** The address of a script of our own, as a worker takes it. Throws a TypeError for any other. */
export function ownScript(address: string): string {
  return (policy ? policy.createScriptURL(address) : checked(address)) as string;
}

function checked(address: string): string {
  const { origin, pathname } = new URL(address, location.href);
  if (origin !== location.origin || !OWN.test(pathname))
    throw new TypeError(`${address} is no script of this page`);
  return address;
}
