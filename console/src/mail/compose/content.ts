import type { CreateDraftBody, Draft } from '../../../../client/src/index.ts';

/** What a person writes: the members that a draft takes and the composer edits. */
export interface Content {
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  subject: string;
  text: string;
  /** Only drafts that another program has written have one; it goes with the first change. */
  html: string;
  fileIds: readonly string[];
  /** The message that this one answers. */
  answers: string | undefined;
}

export const NOTHING: Content = {
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  text: '',
  html: '',
  fileIds: [],
  answers: undefined,
};

export function contentOf({ content, message }: Draft): Content {
  const { to = [], cc = [], bcc = [], subject, html = '', file_ids = [], reply_to_message_id } = content;
  return {
    to,
    cc,
    bcc,
    subject: subject ?? message.subject,
    text: content.text ?? (html && message.text),
    html,
    fileIds: file_ids,
    answers: reply_to_message_id,
  };
}

/** The body of the requests that keep the content. */
export function bodyOf({ to, cc, bcc, subject, text, html, fileIds, answers }: Content): CreateDraftBody {
  return {
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    text,
    ...(html && { html }),
    file_ids: [...fileIds],
    ...(answers !== undefined && { reply_to_message_id: answers }),
  };
}

export function isSame(a: Content, b: Content): boolean {
  return a === b || JSON.stringify(bodyOf(a)) === JSON.stringify(bodyOf(b));
}

/** Whether there is nothing that a person would miss. */
export function isEmpty(content: Content): boolean {
  return isSame({ ...content, answers: undefined }, NOTHING);
}
