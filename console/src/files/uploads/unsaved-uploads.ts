import { language } from '../../app/texts.ts';
import type { Unsaved } from '../../app/unsaved.ts';
import { filesTexts } from '../texts.ts';
import type { UploadsState } from './uploads-state.ts';

/** What of the uploads is not on the server, for the list of what is not saved. */
export function unsavedUploads({ uploads, progress, isCutOff, isLasting }: UploadsState): Unsaved[] {
  const texts = () => filesTexts[language()];
  const needsFile = ({ id }: { id: string }) => progress.get(id)?.needsFile === true;
  const waiting = uploads.filter(({ state }) => state === 'waiting');
  const going = waiting.filter((upload) => !needsFile(upload)).length;
  const failed = uploads.filter(({ state }) => state === 'failed').length + waiting.length - going;
  const paused = uploads.filter(({ state }) => state === 'paused').length;
  const thing = (
    state: Unsaved['state'],
    count: number,
    whereKept: Unsaved['withPage'],
    label: () => string,
  ): Unsaved[] => {
    const withPage = isLasting ? whereKept : 'lost';
    return count === 0 ? [] : [{ id: `uploads ${state}`, label, state, count, place: '/files/', withPage }];
  };
  return [
    ...thing('problem', failed, 'apart', () => texts().uploadsFailed(failed)),
    ...thing('saving', going, 'kept', () =>
      isCutOff ? texts().uploadsCutOff(going) : texts().uploading(going),
    ),
    ...thing('waiting', paused, 'apart', () => texts().uploadsPaused(paused)),
  ];
}
