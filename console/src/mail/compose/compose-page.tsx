import { type RouterHistory, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { outbox, useIsCutOff } from '../../app/outbox.ts';
import type { Entry } from '../../app/outbox-entry.ts';
import { randomKey } from '../../app/random-key.ts';
import { useUser } from '../../app/session.ts';
import { type Language, useLanguage, useTexts } from '../../app/texts.ts';
import { showToast } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../../parts/place.tsx';
import { fullTime } from '../../parts/time.ts';
import { Composer } from './composer.tsx';
import { type Opened, open, type Wanted } from './opening.ts';
import { takeBackSending, type Where } from './sending.ts';
import { type ComposeTexts, composeTexts } from './texts.ts';

/** Where a message is written: `/mail/compose/new` with what it begins with in the query, or `/mail/compose/<draft>`. */
export function ComposePage() {
  const texts = useTexts(composeTexts);
  const { opened, error, reopen } = useOpened();
  const { leave, back } = useLeaving(reopen);
  if (error !== undefined) return <ErrorPlace error={error} onRetry={reopen} />;
  if (opened === undefined) return null;
  if (opened === 'gone')
    return (
      <EmptyPlace title={texts.gone}>
        <p>{texts.goneText}</p>
        <Button onPress={leave}>{texts.back}</Button>
      </EmptyPlace>
    );
  if ('isAt' in opened) return null;
  if ('sending' in opened)
    return (
      <Sending
        entry={opened.sending}
        onTakenBack={(where) => void back(where)}
        onChanged={reopen}
        onGone={leave}
      />
    );
  const { keeper, notSent, forwarded } = opened;
  return (
    <Composer
      key={keeper.key}
      keeper={keeper}
      notSent={notSent}
      forwarded={forwarded}
      onLeave={leave}
      onBack={(where) => void back(where)}
    />
  );
}

/** Leaves the page, and comes back to it where the leaving is undone. */
function useLeaving(reopen: () => void) {
  const navigate = useNavigate();
  const router = useRouter();
  const left = useRef(Promise.resolve());
  const leave = useCallback(() => {
    if (router.history.canGoBack()) left.current = goBack(router.history);
    else void navigate({ to: '/mail/$', params: { _splat: 'inbox' } });
  }, [router, navigate]);
  const back = useCallback(
    async ({ id, key }: Where) => {
      await left.current;
      // This page has stayed where the next one was still being loaded.
      reopen();
      await navigate({
        to: '/mail/compose/$draftId',
        params: { draftId: id ?? 'new' },
        search: id === undefined ? { key } : {},
      });
    },
    [navigate, reopen],
  );
  return { leave, back };
}

/** Goes to the page before; resolves when the address is that page's. */
function goBack(history: RouterHistory): Promise<void> {
  return new Promise((resolve) => {
    addEventListener('popstate', () => resolve(), { once: true });
    history.back();
  });
}

interface SendingProps {
  entry: Entry;
  onTakenBack(where: Where): void;
  /** It has a problem. */
  onChanged(): void;
  /** It was sent, or another window has taken it back. */
  onGone(): void;
}

/** A message that goes out by itself, and can be taken back until then. */
function Sending({ entry, onTakenBack, onChanged, onGone }: SendingProps) {
  const texts = useTexts(composeTexts);
  const user = useUser();
  const isCutOff = useIsCutOff();
  const isTaking = useRef(false);
  const takeBack = async () => {
    isTaking.current = true;
    const where = await takeBackSending(entry.id, user.id);
    if (where) return onTakenBack(where);
    showToast({ text: texts.tooLate, kind: 'problem' });
    onChanged();
  };
  useEffect(() => {
    const look = () => {
      const entries = outbox.entries();
      const hasProblem = entries.some(({ lane, problem }) => lane === entry.lane && problem);
      if (hasProblem) onChanged();
      else if (!isTaking.current && !entries.some(({ id }) => id === entry.id)) onGone();
    };
    return outbox.subscribe(look);
  }, [entry, onChanged, onGone]);
  return (
    <EmptyPlace title={isCutOff ? texts.waitsToBeSent : texts.isSending}>
      {isCutOff && <p>{texts.waitsToBeSentText}</p>}
      <Button onPress={() => void takeBack()}>{texts.takeBack}</Button>
    </EmptyPlace>
  );
}

/** Opens what the address names. The address of a new message follows to its draft, which is the same text. */
function useOpened() {
  const { draftId } = useParams({ from: '/mail/compose/$draftId' });
  const query = useSearch({ from: '/mail/compose/$draftId' });
  const navigate = useNavigate();
  const user = useUser();
  const texts = useTexts(composeTexts);
  const language = useLanguage();
  const [opened, setOpened] = useState<Opened>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const current = useRef<Opened>(undefined);
  const lastAttempt = useRef(0);
  const latest = useRef({ query, texts, language, user });
  latest.current = { query, texts, language, user };
  const key = query.key;
  useEffect(() => {
    const go = (params: { draftId: string }, search: Record<string, string | undefined>) =>
      void navigate({ to: '/mail/compose/$draftId', params, search, replace: true });
    if (draftId === 'new' && !key)
      return go({ draftId }, { ...latest.current.query, key: `k${randomKey()}` });
    const held = current.current;
    const isAgain = lastAttempt.current !== attempt;
    lastAttempt.current = attempt;
    if (!isAgain && held && held !== 'gone' && 'keeper' in held && held.keeper.state().id === draftId) return;
    const { query: asked, texts: words, language: tongue, user: person } = latest.current;
    let isLeft = false;
    setError(undefined);
    const took = (next: Opened) => {
      if (isLeft) return;
      if (next !== 'gone' && 'isAt' in next) return go({ draftId: next.isAt }, {});
      if (next !== 'gone' && 'keeper' in next)
        next.keeper.onCreated = (id) => current.current === next && go({ draftId: id }, {});
      current.current = next;
      setOpened(next);
    };
    const wanted = { userId: person.id, email: person.email, draftId, query: asked };
    open({ ...wanted, words: wordsFor(words, tongue) }).then(
      took,
      (reason: unknown) => !isLeft && setError(reason),
    );
    return () => {
      isLeft = true;
    };
  }, [draftId, key, attempt, navigate]);
  useEffect(
    () => () => {
      current.current = undefined;
    },
    [],
  );
  const reopen = useCallback(() => {
    setOpened(undefined);
    setAttempt((n) => n + 1);
  }, []);
  return { opened, error, reopen };
}

/** The words that are written into an answer, and what a save is called. */
function wordsFor(texts: ComposeTexts, language: Language): Wanted['words'] {
  return {
    ...texts,
    sent: texts.sentAt,
    when: (at) => fullTime(at, language),
    save: texts.saveDraft,
  };
}
