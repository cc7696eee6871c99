import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { AtriumError } from '../../../client/src/index.ts';
import { mayPass } from '../../../client/src/retrying.ts';
import { handleKey } from './actions.ts';
import { warnBeforeLeaving } from './all-unsaved.ts';
import { keepShell } from './kept-shell.ts';
import { continueKept } from './kept-work.ts';
import { liveChanges } from './live-changes.ts';
import { outbox } from './outbox.ts';
import { router } from './router.tsx';
import { session, useSession } from './session.ts';
import { LinkDialog, ReplacePage, SignInPage } from './sign-in-page.tsx';
import { catalogue, useTexts } from './texts.ts';
import './theme.ts';
import { UnreachablePage } from './unreachable-page.tsx';

const texts = catalogue({
  en: { starting: 'Atrium is starting' },
  de: { starting: 'Atrium startet' },
});

/**
 * What was read stays fresh until the change feed tells of something else; after an hour out of use it is forgotten. What may
 * pass is tried again by itself.
 */
const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      if (error instanceof AtriumError && error.status === 401) session.lose();
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 3_600_000,
      retry: (failures, error) => mayPass(error) && failures < 20,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
  },
});

/** The whole console: the sign-in, or the pages. */
export function Console() {
  useEffect(() => {
    void session.start();
    const followLink = () => void session.followLink();
    addEventListener('keydown', handleKey);
    addEventListener('hashchange', followLink);
    return () => {
      removeEventListener('keydown', handleKey);
      removeEventListener('hashchange', followLink);
    };
  }, []);
  return (
    <QueryClientProvider client={queries}>
      <ByPhase />
    </QueryClientProvider>
  );
}

function ByPhase() {
  const state = useSession();
  const t = useTexts(texts);
  switch (state.phase) {
    case 'starting':
      return (
        <p className="visually-hidden" role="status">
          {t.starting}
        </p>
      );
    case 'unreachable':
      return <UnreachablePage />;
    case 'asking':
      return <ReplacePage user={state.user} code={state.code} />;
    case 'signed out':
      return <SignInPage reason={state.reason} />;
    case 'signed in':
      return <SignedIn key={state.user.id} userId={state.user.id} />;
  }
}

function SignedIn({ userId }: { userId: string }) {
  useEffect(() => {
    const close = outbox.open(userId);
    const leave = continueKept(userId);
    const unwarn = warnBeforeLeaving();
    const stop = liveChanges.start(userId);
    keepShell();
    const listen = liveChanges.onGap(() => void queries.invalidateQueries());
    return () => {
      close();
      leave();
      unwarn();
      stop();
      listen();
      queries.clear();
    };
  }, [userId]);
  return (
    <>
      <RouterProvider router={router} />
      <LinkDialog />
    </>
  );
}
