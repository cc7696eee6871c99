import { Check, FileQuestion, Pause, Play, RotateCcw, TriangleAlert, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useLanguage, useTexts } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { shownName } from '../../parts/shown-name.ts';
import { sizeText } from '../../parts/size.ts';
import { filesTexts } from '../texts.ts';
import styles from './upload-panel.module.css';
import type { Upload } from './upload-store.ts';
import { uploads, useUploads } from './uploads.ts';
import type { Progress, UploadsState } from './uploads-state.ts';

/** With more, the panel says how many it does not list. */
const LISTED = 100;

/** What is on its way to the server, and what has become of it. */
export function UploadPanel() {
  const texts = useTexts(filesTexts);
  const state = useUploads();
  const [isOpen, setOpen] = useState(true);
  const all = state.uploads;
  if (all.length === 0) return null;
  const shown = byNeed(state).slice(0, LISTED);
  return (
    <section className={styles.panel} aria-label={texts.uploads}>
      <header className={styles.header}>
        <button
          type="button"
          className={styles.title}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-live="polite">{summaryOf(state, texts)}</span>
        </button>
        <AllButtons all={all} />
      </header>
      {!state.isLasting && all.some(({ state: one }) => one !== 'done') && (
        <p className={styles.more} role="alert">
          {texts.uploadsNotLasting}
        </p>
      )}
      {isOpen && (
        <ul className={styles.list}>
          {shown.map((upload) => (
            <Line key={upload.id} upload={upload} progress={state.progress.get(upload.id)} />
          ))}
          {all.length > shown.length && (
            <li className={styles.more}>{texts.moreUploads(all.length - shown.length)}</li>
          )}
        </ul>
      )}
    </section>
  );
}

function AllButtons({ all }: { all: readonly Upload[] }) {
  const texts = useTexts(filesTexts);
  const idsOf = (state: Upload['state']) => all.filter((one) => one.state === state).map(({ id }) => id);
  const [waiting, paused, done] = [idsOf('waiting'), idsOf('paused'), idsOf('done')];
  return (
    <>
      {waiting.length > 0 && (
        <IconButton label={texts.pauseAll} onPress={() => void uploads.pause(waiting)}>
          <Pause />
        </IconButton>
      )}
      {waiting.length === 0 && paused.length > 0 && (
        <IconButton label={texts.resumeAll} onPress={() => void uploads.resume(paused)}>
          <Play />
        </IconButton>
      )}
      {done.length === all.length && (
        <IconButton label={texts.clearUploads} onPress={() => void uploads.remove(done)}>
          <X />
        </IconButton>
      )}
    </>
  );
}

function Line({ upload, progress }: { upload: Upload; progress: Progress | undefined }) {
  const texts = useTexts(filesTexts);
  const needsFile = progress?.needsFile === true && upload.state === 'waiting';
  const share = upload.size === 0 ? 0 : Math.min(1, (progress?.done ?? 0) / upload.size);
  return (
    <li className={styles.line}>
      <span className={styles.icon} data-state={needsFile ? 'failed' : upload.state}>
        {upload.state === 'done' ? (
          <Check />
        ) : needsFile ? (
          <FileQuestion />
        ) : (
          upload.state === 'failed' && <TriangleAlert />
        )}
      </span>
      <span className={styles.name} title={upload.name} dir="auto">
        {shownName(upload.name)}
      </span>
      <span className={styles.buttons}>
        <LineButtons upload={upload} needsFile={needsFile} />
      </span>
      <StateText upload={upload} progress={progress} />
      {(upload.state === 'waiting' || upload.state === 'paused') && (
        <progress
          className={styles.progress}
          max={1}
          value={share}
          aria-label={texts.progressOf(upload.name)}
        />
      )}
    </li>
  );
}

function StateText({ upload, progress }: { upload: Upload; progress: Progress | undefined }) {
  const texts = useTexts(filesTexts);
  const language = useLanguage();
  const size = sizeText(upload.size, language);
  const done = sizeText(progress?.done ?? 0, language);
  const text = () => {
    if (upload.state === 'failed') return upload.problem ?? '';
    if (upload.state === 'done') return size;
    if (upload.state === 'paused') return texts.pausedAt(done, size);
    if (progress?.needsFile) return texts.needsFile;
    if (!progress || progress.speed === 0) return texts.waitingOf(size);
    return texts.progressText(done, size, `${sizeText(progress.speed, language)}/s`);
  };
  return <span className={styles.state}>{text()}</span>;
}

function LineButtons({ upload, needsFile }: { upload: Upload; needsFile: boolean }) {
  const texts = useTexts(filesTexts);
  const { id, name, state } = upload;
  return (
    <>
      {needsFile && <ChooseAgain id={id} name={name} />}
      {state === 'waiting' && !needsFile && (
        <IconButton label={texts.pause(name)} onPress={() => void uploads.pause([id])}>
          <Pause />
        </IconButton>
      )}
      {state === 'paused' && (
        <IconButton label={texts.resume(name)} onPress={() => void uploads.resume([id])}>
          <Play />
        </IconButton>
      )}
      {state === 'failed' && (
        <IconButton label={texts.again(name)} onPress={() => void uploads.resume([id])}>
          <RotateCcw />
        </IconButton>
      )}
      <IconButton
        label={state === 'done' ? texts.forget(name) : texts.giveUp(name)}
        onPress={() => void uploads.remove([id])}
      >
        <X />
      </IconButton>
    </>
  );
}

function ChooseAgain({ id, name }: { id: string; name: string }) {
  const texts = useTexts(filesTexts);
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button kind="quiet" aria-label={texts.chooseAgainOf(name)} onPress={() => input.current?.click()}>
        {texts.chooseAgain}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={texts.chooseAgainOf(name)}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file) void uploads.giveFile(id, file);
        }}
      />
    </>
  );
}

/** What needs the person first, then what moves, then what waits, then what is done. */
function byNeed({ uploads: all, progress }: UploadsState): Upload[] {
  const rank = ({ id, state }: Upload) => {
    if (state === 'failed' || progress.get(id)?.needsFile) return 0;
    if ((progress.get(id)?.speed ?? 0) > 0) return 1;
    return state === 'done' ? 3 : 2;
  };
  return all.toSorted((a, b) => rank(a) - rank(b));
}

function summaryOf({ uploads: all, isCutOff }: UploadsState, texts: typeof filesTexts.en): string {
  const count = (state: Upload['state']) => all.filter((one) => one.state === state).length;
  const [waiting, failed, paused] = [count('waiting'), count('failed'), count('paused')];
  if (failed > 0) return texts.uploadsFailed(failed);
  if (waiting > 0) return isCutOff ? texts.uploadsCutOff(waiting) : texts.uploading(waiting);
  return paused > 0 ? texts.uploadsPaused(paused) : texts.uploaded(all.length);
}
