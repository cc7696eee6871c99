import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Refused, type SessionUser, session, useLinkCode, useUser } from './session.ts';
import styles from './sign-in-page.module.css';
import { catalogue, useTexts } from './texts.ts';

const texts = catalogue({
  en: {
    title: 'Sign in to Atrium',
    lead: 'Paste a sign-in code or an API key.',
    field: 'Code or key',
    hint: 'A code comes by "atrium sign-in YOUR-ADDRESS" on the server, or from a colleague under People. It is good once, for ten minutes.',
    go: 'Sign in',
    unreachable: 'The server cannot be reached. Try again in a moment.',
    ended: 'This sign-in link does not work any more',
    otherTitle: 'Sign in with this link?',
    other: (name: string) =>
      `You are signed in as ${name}. The link may belong to somebody else: then what you do here would be in their account.`,
    stay: (name: string) => `Stay ${name}`,
    replace: 'Sign in with the link',
  },
  de: {
    title: 'Bei Atrium anmelden',
    lead: 'Füge einen Anmeldecode oder einen API-Schlüssel ein.',
    field: 'Code oder Schlüssel',
    hint: 'Einen Code gibt "atrium sign-in DEINE-ADRESSE" auf dem Server, oder jemand unter Personen. Er gilt einmal, zehn Minuten lang.',
    go: 'Anmelden',
    unreachable: 'Der Server ist nicht erreichbar. Versuche es gleich noch einmal.',
    ended: 'Dieser Anmelde-Link gilt nicht mehr',
    otherTitle: 'Mit diesem Link anmelden?',
    other: (name: string) =>
      `Du bist als ${name} angemeldet. Der Link gehört vielleicht jemand anderem: Was du dann tust, landet in dessen Konto.`,
    stay: (name: string) => `${name} bleiben`,
    replace: 'Mit dem Link anmelden',
  },
});

/** How the API keys begin that the server has made; an owner may have chosen another key. */
const KEY_PREFIX = 'atr_';

/** Rejects with the reason of the server: that of the code where it is neither a code nor a key. */
async function signIn(secret: string): Promise<void> {
  if (secret.startsWith(KEY_PREFIX)) return session.signIn({ key: secret });
  try {
    await session.signIn({ code: secret });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await session.signIn({ key: secret }).catch((reason) => {
      throw reason instanceof Refused ? error : reason;
    });
  }
}

/** Where whoever has no session signs in. `reason` tells why a link or session is no longer good. */
export function SignInPage({ reason }: { reason: string | undefined }) {
  const t = useTexts(texts);
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const given = secret.trim();
    try {
      await signIn(given);
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : t.unreachable);
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <h1>{t.title}</h1>
        {reason ? (
          <p role="alert" className={styles.reason}>
            {t.ended}: {reason}
          </p>
        ) : (
          <p>{t.lead}</p>
        )}
        <Field
          label={t.field}
          hint={t.hint}
          problem={problem}
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
          isRequired
          autoFocus
        />
        <Button kind="primary" type="submit" isDisabled={isBusy || secret.trim() === ''}>
          {t.go}
        </Button>
      </form>
    </main>
  );
}

/** Asks before a link replaces the session of whoever is signed in. */
export function ReplacePage({ user, code }: { user: SessionUser; code: string }) {
  const t = useTexts(texts);
  const name = user.name || user.email;
  return (
    <main className={styles.page}>
      <div className={styles.form}>
        <h1>{t.otherTitle}</h1>
        <p>{t.other(`${name} (${user.email})`)}</p>
        <Button kind="primary" onPress={() => void session.stay()} autoFocus>
          {t.stay(name)}
        </Button>
        <Button onPress={() => void session.replace(code)}>{t.replace}</Button>
      </div>
    </main>
  );
}

/** Asks the same above the page, where the link was opened in its tab: what is typed there stays. */
export function LinkDialog() {
  const t = useTexts(texts);
  const user = useUser();
  const code = useLinkCode();
  const name = user.name || user.email;
  const stay = () => session.leaveLink();
  return (
    <Dialog
      title={t.otherTitle}
      isOpen={code !== undefined}
      onClose={stay}
      footer={
        <>
          <Button onPress={() => void session.replaceByLink(code ?? '')}>{t.replace}</Button>
          <Button kind="primary" onPress={stay} autoFocus>
            {t.stay(name)}
          </Button>
        </>
      }
    >
      <p>{t.other(`${name} (${user.email})`)}</p>
    </Dialog>
  );
}
