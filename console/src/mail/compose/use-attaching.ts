import { useCallback, useEffect, useRef, useState } from 'react';
import type { Message } from '../../../../client/src/index.ts';
import { reasonOf } from '../../app/refusals.ts';
import { showToast } from '../../app/toasts.tsx';
import { useUnsavedForm } from '../../app/unsaved.ts';
import { forwardAttachment, uploadAttachment } from './attaching.ts';
import type { DraftKeeper } from './draft-keeper.ts';
import type { ComposeTexts } from './texts.ts';

/** A file on its way to being attached. */
export interface Coming {
  id: number;
  name: string;
  /** 0 to 1. */
  part: number;
  stop(): void;
}

let lastId = 0;

/** Attaches files of this computer, and the attachments of a message that is forwarded. */
export function useAttaching(keeper: DraftKeeper, texts: ComposeTexts, forwarded: Message | undefined) {
  const [coming, setComing] = useState<readonly Coming[]>([]);
  const hasForwarded = useRef(false);
  const bring = useCallback(
    async (
      name: string,
      fetchFile: (
        onProgress: (part: number) => void,
        signal: AbortSignal,
      ) => ReturnType<typeof uploadAttachment>,
    ) => {
      const id = ++lastId;
      const stop = new AbortController();
      setComing((all) => [...all, { id, name, part: 0, stop: () => stop.abort() }]);
      const onProgress = (part: number) =>
        setComing((all) => all.map((one) => (one.id === id ? { ...one, part } : one)));
      try {
        keeper.attach([await fetchFile(onProgress, stop.signal)]);
      } catch (error) {
        if (!stop.signal.aborted) {
          const reason = reasonOf(error);
          showToast({ text: texts.notAttached(name, reason), kind: 'problem' });
        }
      } finally {
        setComing((all) => all.filter((one) => one.id !== id));
      }
    },
    [keeper, texts],
  );
  const attachLocal = useCallback(
    async (files: Iterable<File>) => {
      // One after another: their order stays, and each has the whole line.
      for (const file of [...files])
        await bring(file.name, (onProgress, signal) => uploadAttachment(file, onProgress, signal));
    },
    [bring],
  );
  useEffect(() => {
    if (!forwarded || hasForwarded.current) return;
    hasForwarded.current = true;
    void (async () => {
      for (const attachment of forwarded.attachments)
        await bring(attachment.filename, () => forwardAttachment(forwarded, attachment));
    })();
  }, [forwarded, bring]);
  useUnsavedForm(
    coming.length === 0 ? undefined : texts.attaching(coming.map(({ name }) => name).join(', ')),
  );
  return { coming, attachLocal };
}
