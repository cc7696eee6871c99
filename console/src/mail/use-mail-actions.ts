import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MailFolder } from '../../../client/src/index.ts';
import { usePermission } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { changeMessages, type Doing, deleteForEver } from './changing.ts';
import { folderName, type Role, useFolders } from './folders.ts';
import { folderOf } from './places.ts';
import type { Change, MailRecord } from './records.ts';
import { mailTexts } from './texts.ts';
import { useMailCache } from './use-mail-cache.ts';

/** What the page asks before it goes on. */
export type Asking =
  | { what: 'folder' | 'label' | 'delete'; messages: readonly MailRecord[] }
  | { what: undefined };

type Messages = readonly MailRecord[];

/** What can be done with messages, each by one call. `onLeave` hears of messages that leave the list at hand. */
export function useMailActions(onLeave: (messages: Messages) => void) {
  const mayWrite = usePermission('mail.messages.write');
  const maySend = usePermission('mail.messages.send');
  const [asking, ask] = useState<Asking>({ what: undefined });
  const moves = useMoves(onLeave);
  const removals = useRemovals({ onLeave, ask, toTrash: (messages) => moves.toRole(messages, 'trash') });
  return { mayWrite, maySend, asking, ask, ...moves, ...removals, ...useMarks(), ...useWriting() };
}

/** Changes messages, where the person may. */
function useChanging() {
  const texts = useTexts(mailTexts);
  const cache = useMailCache();
  const mayWrite = usePermission('mail.messages.write');
  return (messages: Messages, change: Change, done: string, isQuiet = false) => {
    if (!mayWrite) return;
    const doing: Doing = { done, failed: texts.failed, isQuiet };
    changeMessages(cache, messages, change, doing);
  };
}

function useMoves(onLeave: (messages: Messages) => void) {
  const texts = useTexts(mailTexts);
  const folders = useFolders();
  const change = useChanging();
  const moveTo = (messages: Messages, folder: MailFolder | undefined, done?: string) => {
    const moving = messages.filter(({ folder_id }) => folder_id !== folder?.id);
    if (!folder || moving.length === 0) return;
    onLeave(moving);
    const text = done ?? texts.moved(moving.length, folderName(folder, texts));
    change(moving, { move_to: folder.id }, text);
  };
  const toRole = (messages: Messages, role: Role, done?: string) =>
    moveTo(messages, folderOf(role, folders), done);
  return {
    moveTo,
    toRole,
    archive: (messages: Messages) => toRole(messages, 'archive', texts.archived(messages.length)),
  };
}

interface Removing {
  onLeave(messages: Messages): void;
  ask(asking: Asking): void;
  toTrash(messages: Messages): void;
}

function useRemovals({ onLeave, ask, toTrash }: Removing) {
  const texts = useTexts(mailTexts);
  const cache = useMailCache();
  const trash = folderOf('trash', useFolders());
  const mayWrite = usePermission('mail.messages.write');
  return {
    /** To the trash; what is there already is asked about. */
    remove: (messages: Messages) => {
      if (messages.length === 0 || !mayWrite) return;
      if (messages.every(({ folder_id }) => trash?.id === folder_id)) ask({ what: 'delete', messages });
      else toTrash(messages);
    },
    deleteForEver: (messages: Messages) => {
      if (!trash || !mayWrite) return;
      onLeave(messages);
      deleteForEver(cache, messages, trash.id, {
        done: texts.deleted(messages.length),
        failed: texts.failed,
      });
    },
  };
}

function useMarks() {
  const texts = useTexts(mailTexts);
  const change = useChanging();
  return {
    /** Stars them, or takes the stars away where all have one. */
    star: (messages: Messages) => {
      const isOn = messages.every(({ flags }) => flags.starred);
      const stars: Change = isOn ? { remove_flags: ['starred'] } : { add_flags: ['starred'] };
      change(messages, stars, (isOn ? texts.unstarredDone : texts.starredDone)(messages.length));
    },
    /** Marks them as unread, or as read where all are unread. */
    toggleRead: (messages: Messages) => {
      const isUnread = messages.every(({ flags }) => !flags.read);
      const read: Change = isUnread ? { add_flags: ['read'] } : { remove_flags: ['read'] };
      change(messages, read, (isUnread ? texts.readDone : texts.unreadDone)(messages.length));
    },
    markRead: (messages: Messages) =>
      change(messages, { add_flags: ['read'] }, texts.readDone(messages.length), true),
    /** Labels them, or takes the label away where all have it. */
    label: (messages: Messages, label: string) => {
      const isOn = messages.every(({ labels }) => labels.includes(label));
      const labels: Change = isOn ? { remove_labels: [label] } : { add_labels: [label] };
      change(messages, labels, (isOn ? texts.unlabelled : texts.labelled)(messages.length, label));
    },
  };
}

/** Goes to the page where a message is answered or written, or a filter made. */
function useWriting() {
  const navigate = useNavigate();
  const maySend = usePermission('mail.messages.send');
  const compose = (search: Record<string, string>) =>
    void navigate({ to: '/mail/compose/$draftId', params: { draftId: 'new' }, search });
  const answer = (mode: 'reply' | 'reply-all' | 'forward') => (message: MailRecord | undefined) => {
    if (message && maySend) compose({ mode, message: message.id });
  };
  return {
    compose,
    reply: answer('reply'),
    replyAll: answer('reply-all'),
    forward: answer('forward'),
    filterLike: (message: MailRecord) =>
      void navigate({ to: '/mail/filters/$', params: { _splat: 'new' }, search: { message: message.id } }),
  };
}

export type MailActions = ReturnType<typeof useMailActions>;
