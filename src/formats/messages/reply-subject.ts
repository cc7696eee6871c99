/** RFC 5322, 3.6.5: a subject starts with at most one "Re: ". */
export function replySubject(subject: string): string {
  const oneLine = subject.replace(/\p{Cc}+/gu, ' ');
  return /^re:/i.test(oneLine) ? oneLine : `Re: ${oneLine}`.trimEnd();
}
