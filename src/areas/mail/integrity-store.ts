import {
  ANY_TIME,
  arrayLength,
  belowRoot,
  COUNT,
  type ColumnRule,
  columnsHold,
  type IntegrityRule,
  TIME,
  TRUTH,
  type WorkspaceRule,
} from '../../storage/schema/integrity-rule.ts';
import { NUMBER_OF_SETS } from './changes/flags.ts';
import { FOLDER_ROLES } from './schema.ts';

/** Condition: the label row `r` repeats folder, flags and date of the message `m`, by which listings find it. */
const REPEATS_STATE =
  'r.workspace_id = m.workspace_id and r.message_number = m.number and r.folder_number = m.folder_number and r.flags = m.flags and r.date = m.date';

/** Expunged messages included: they are restored as they are. */
const ALL_MESSAGES = `(
  select workspace_id, id, number, thread_id, summary from messages
  union all select workspace_id, id, number, thread_id, summary from expunged_messages)`;

/** Messages with their changeable columns. */
const MESSAGES = `(
  select t.id, t.user_id, s.* from messages as t
  join message_states as s on s.workspace_id = t.workspace_id and s.number = t.number)`;

const FLAG_SETS: ColumnRule = { least: 0, most: NUMBER_OF_SETS - 1 };
const ANY_PRIORITY: ColumnRule = { least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER };

/** The integrity rules of every mailbox. */
export const MAIL_INTEGRITY: readonly (IntegrityRule | WorkspaceRule)[] = [
  {
    says: 'Each mail folder is in a folder of its user, or at the root',
    broken: () => `
      select f.id from mail_folders as f
      left join mail_folders as p on p.workspace_id = f.workspace_id and p.id = f.parent_id and p.user_id = f.user_id
      where f.parent_id <> '' and p.id is null`,
  },
  belowRoot('Each mail folder leads up to the root', 'mail_folders', 'user_id', '1 = 1'),
  {
    says: 'Each message is in a folder of its user',
    broken: () => `
      select m.id from ${MESSAGES} as m
      left join mail_folders as f on f.workspace_id = m.workspace_id and f.number = m.folder_number and f.user_id = m.user_id
      where f.id is null`,
  },
  {
    says: 'Each message has its state',
    broken: () => `
      select m.id from messages as m
      left join message_states as s on s.workspace_id = m.workspace_id and s.number = m.number
      where s.number is null`,
  },
  {
    says: 'Each state is that of a message',
    broken: () => `
      select cast(s.number as text) as id from message_states as s
      left join messages as m on m.workspace_id = s.workspace_id and m.number = s.number
      where m.number is null`,
  },
  {
    says: 'Each message has its content',
    broken: () => `
      select m.id from ${ALL_MESSAGES} as m
      left join message_contents as c on c.workspace_id = m.workspace_id and c.number = m.number
      where c.number is null`,
  },
  {
    says: 'Each number is that of one message',
    broken: () =>
      `select min(m.id) as id from ${ALL_MESSAGES} as m group by m.workspace_id, m.number having count(*) > 1`,
  },
  {
    says: 'The summary of a message names its thread',
    broken: () => `
      select m.id from ${ALL_MESSAGES} as m where m.summary not like '%"thread_id":"' || m.thread_id || '"%'`,
  },
  {
    says: 'Each content is that of a message',
    broken: () => `
      select cast(c.number as text) as id from message_contents as c
      left join messages as m on m.workspace_id = c.workspace_id and m.number = c.number
      left join expunged_messages as e on e.workspace_id = c.workspace_id and e.number = c.number
      where m.number is null and e.number is null`,
  },
  {
    says: 'Each copy shares the content of a message that has its own',
    broken: () => `
      select cast(c.number as text) as id from message_contents as c
      left join message_contents as h on h.workspace_id = c.workspace_id and h.number = c.content_of
      where c.content_of is not null
        and (h.number is null or h.content_of is not null or h.size <> c.size
          or c.raw is not null or c.blob_key is not null)`,
  },
  {
    says: 'The counts of a folder are those of its messages',
    broken: () => `
      select coalesce(c.folder_id, m.folder_id) as id
      from (select * from mail_folder_counts where messages <> 0) as c
      full join (
        select f.id as folder_id, n.flags, count(*) as messages
        from message_states as n join mail_folders as f on f.workspace_id = n.workspace_id and f.number = n.folder_number
        group by f.id, n.flags) as m
        on m.folder_id = c.folder_id and m.flags = c.flags
      where coalesce(c.messages, 0) <> coalesce(m.messages, 0)`,
  },
  {
    says: 'Each label of a message is found where the message stands',
    broken: (engine) => `
      select m.id from ${MESSAGES} as m
      where ${arrayLength(engine, 'm.labels')} <> (select count(*) from message_labels as r where ${REPEATS_STATE})`,
  },
  {
    says: 'The counts of a label are those of its messages',
    broken: () => `
      select coalesce(c.label, r.label) as id
      from mail_label_counts as c
      full join (
        select workspace_id, user_id, label, count(*) as messages, sum(case when flags & 1 = 0 then 1 else 0 end) as unread
        from message_labels group by workspace_id, user_id, label) as r
        on r.workspace_id = c.workspace_id and r.user_id = c.user_id and r.label = c.label
      where coalesce(c.messages, 0) <> coalesce(r.messages, -1) or coalesce(c.unread, 0) <> coalesce(r.unread, 0)`,
  },
  {
    says: 'Mail that waits to leave has its content',
    broken: () => `
      select o.id from mail_outbox as o
      left join messages as m on m.workspace_id = o.workspace_id and m.id = o.message_id
      left join expunged_messages as e on e.workspace_id = o.workspace_id and e.id = o.message_id
      left join message_contents as c
        on c.workspace_id = o.workspace_id and c.number = coalesce(m.number, e.number)
      where c.number is null`,
  },
  {
    says: 'Each draft is that of a message',
    broken: () => `
      select cast(d.message_number as text) as id from mail_drafts as d
      left join ${ALL_MESSAGES} as m on m.workspace_id = d.workspace_id and m.number = d.message_number
      where m.number is null`,
  },
  {
    says: 'Each row of message_labels is of a message',
    broken: () => `
      select cast(r.message_number as text) as id from message_labels as r
      left join messages as m on m.workspace_id = r.workspace_id and m.number = r.message_number
      where m.number is null`,
  },
  {
    says: 'Each summary to be made is that of a message',
    broken: () => `
      select cast(o.number as text) as id from mail_summaries_to_make as o
      left join ${ALL_MESSAGES} as m on m.workspace_id = o.workspace_id and m.number = o.number
      where m.number is null`,
  },
  columnsHold('saved_attachments', { size: COUNT }, 'attachment_id'),
  columnsHold('mail_folders', { role: { oneOf: FOLDER_ROLES }, created_at: TIME }),
  columnsHold('mail_folder_counts', { flags: FLAG_SETS, messages: COUNT }, 'folder_id'),
  ...['message_states', 'expunged_messages'].map((table) =>
    columnsHold(table, { flags: FLAG_SETS, date: ANY_TIME }, 'number'),
  ),
  columnsHold('message_labels', { flags: FLAG_SETS, date: ANY_TIME }, 'message_number'),
  columnsHold('mail_label_counts', { messages: COUNT, unread: COUNT }, 'label'),
  columnsHold('message_contents', { size: COUNT }, 'number'),
  columnsHold('mail_imports', { copies: COUNT }, 'folder_id'),
  columnsHold('mail_filters', { priority: ANY_PRIORITY, enabled: TRUTH, created_at: TIME, updated_at: TIME }),
  columnsHold('mail_delivery_log', { outcome: { oneOf: ['delivered', 'discarded'] }, delivered_at: TIME }),
  columnsHold('mail_drafts', { sent_until: TIME }, 'message_number'),
  columnsHold('mail_outbox', { attempts: COUNT, next_attempt_at: TIME, queued_at: TIME }),
];
