import { closeUploads, hasPendingUploads } from './pending-uploads.ts';

/**
 * Work of a user that this browser keeps: uploads, and texts of drafts. Its parts are loaded where there is something, or where
 * another tab begins it.
 */
export function continueKept(userId: string): () => void {
  let isLeft = false;
  const ends: (() => void)[] = [];
  const begin = async (part: () => Promise<() => void>) => {
    const end = await part();
    if (isLeft) end();
    else ends.push(end);
  };
  let areUploadsOpen = false;
  const openUploads = () => {
    if (areUploadsOpen || !hasPendingUploads(userId)) return;
    areUploadsOpen = true;
    void import('../files/uploads/uploads.ts').then(({ uploads }) => {
      if (!isLeft) void uploads.open(userId);
    });
  };
  openUploads();
  // Another tab of the browser has changed what is stored.
  addEventListener('storage', openUploads);
  void begin(async () => {
    const { keptDrafts } = await import('../mail/compose/kept-drafts.ts');
    return isLeft ? () => undefined : keptDrafts.open(userId);
  });
  return () => {
    isLeft = true;
    removeEventListener('storage', openUploads);
    for (const end of ends) end();
    closeUploads();
  };
}
