import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { type Action, useActions } from '../app/actions.ts';
import { useTexts } from '../app/texts.ts';
import { linkTo } from './places.ts';
import type { MailRecord } from './records.ts';
import { type MailTexts, mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';
import type { Row } from './use-rows.ts';

interface MailKeys {
  rows: readonly Row[];
  current: string | undefined;
  opened: string | undefined;
  targets: readonly MailRecord[];
  selected: ReadonlySet<string>;
  actions: MailActions;
  onCurrent(row: Row): void;
  onSelect(selected: ReadonlySet<string>): void;
  onOpen(row: Row): void;
  onClose(): void;
  onSearch(): void;
}

/** The keys of the mail page, which are its actions in the palette, too. */
export function useMailKeys(keys: MailKeys): void {
  const texts = useTexts(mailTexts);
  const navigate = useNavigate();
  const { rows, current, opened, targets, actions } = keys;
  const step = useStep(keys);
  const row = rows.find(({ id }) => id === current);
  const first = targets.find(({ id }) => id === (opened ?? current)) ?? targets[0];
  const go = (key: string) => void navigate(linkTo({ kind: 'folder', key }));
  useActions([
    { id: 'mail-next', label: texts.next, keys: 'j', run: () => step(1) },
    { id: 'mail-previous', label: texts.previous, keys: 'k', run: () => step(-1) },
    { id: 'mail-search', label: texts.searchMail, keys: '/', run: keys.onSearch },
    ...goingTo(go, texts),
    ...(actions.maySend ? [composing(actions, texts)] : []),
    ...leaving(keys, texts),
    ...(row ? [{ id: 'mail-open', label: texts.open, keys: 'o', run: () => keys.onOpen(row) }] : []),
    ...(actions.mayWrite && targets.length > 0 ? writing(keys, texts) : []),
    ...(actions.maySend && first ? answering(actions, first, texts) : []),
  ]);
}

/** Makes the row current that is so many rows after the current one. */
function useStep({ rows, current, onCurrent }: MailKeys): (by: number) => void {
  const at = rows.findIndex(({ id }) => id === current);
  // Where the current row has left the list, the keys go on at its place.
  const lastAt = useRef(0);
  if (at >= 0) lastAt.current = at;
  return (by) => {
    const from = at >= 0 ? at + by : current === undefined ? 0 : lastAt.current;
    const row = rows[Math.max(0, Math.min(from, rows.length - 1))];
    if (row && row.id !== current) onCurrent(row);
  };
}

function goingTo(go: (key: string) => void, texts: MailTexts): Action[] {
  return [
    { id: 'mail-inbox', label: texts.goTo(texts.inbox), keys: 'g i', run: () => go('inbox') },
    { id: 'mail-sent', label: texts.goTo(texts.sent), keys: 'g t', run: () => go('sent') },
    { id: 'mail-drafts', label: texts.goTo(texts.drafts), keys: 'g d', run: () => go('drafts') },
    { id: 'mail-starred', label: texts.goTo(texts.starred), keys: 'g s', run: () => go('starred') },
  ];
}

function composing(actions: MailActions, texts: MailTexts): Action {
  return { id: 'mail-compose', label: texts.compose, keys: 'c', run: () => actions.compose({}) };
}

/** Ends the selection, else closes what is open. */
function leaving({ selected, opened, onSelect, onClose }: MailKeys, texts: MailTexts): Action[] {
  if (selected.size === 0 && opened === undefined) return [];
  const run = () => (selected.size > 0 ? onSelect(new Set()) : onClose());
  return [{ id: 'mail-escape', label: texts.back, keys: 'Escape', run }];
}

/** Selects the current row, or takes it out of the selection. */
function toggle({ current, selected, onSelect }: MailKeys): void {
  if (current === undefined) return;
  const next = new Set(selected);
  if (!next.delete(current)) next.add(current);
  onSelect(next);
}

function writing(keys: MailKeys, texts: MailTexts): Action[] {
  const { actions: by, targets: messages } = keys;
  return [
    { id: 'mail-toggle', label: texts.toggle, keys: 'x', run: () => toggle(keys) },
    { id: 'mail-archive', label: texts.doArchive, keys: 'e', run: () => by.archive(messages) },
    { id: 'mail-trash', label: texts.doTrash, keys: '#', run: () => by.remove(messages) },
    { id: 'mail-star', label: texts.doStar, keys: 's', run: () => by.star(messages) },
    { id: 'mail-unread', label: texts.doUnread, keys: 'u', run: () => by.toggleRead(messages) },
    { id: 'mail-move', label: texts.doMove, keys: 'v', run: () => by.ask({ what: 'folder', messages }) },
    { id: 'mail-label', label: texts.doLabel, keys: 'l', run: () => by.ask({ what: 'label', messages }) },
    { id: 'mail-junk', label: texts.doJunk, keys: '!', run: () => by.toRole(messages, 'junk') },
    { id: 'mail-restore', label: texts.doRestore, run: () => by.toRole(messages, 'inbox') },
  ];
}

function answering(by: MailActions, message: MailRecord, texts: MailTexts): Action[] {
  return [
    { id: 'mail-reply', label: texts.reply, keys: 'r', run: () => by.reply(message) },
    { id: 'mail-reply-all', label: texts.replyAll, keys: 'a', run: () => by.replyAll(message) },
    { id: 'mail-forward', label: texts.forward, keys: 'f', run: () => by.forward(message) },
    { id: 'mail-filter', label: texts.filterLike, run: () => by.filterLike(message) },
  ];
}
