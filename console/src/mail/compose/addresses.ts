import parse from 'nodemailer/lib/addressparser';

/** A person in a field of recipients. */
export interface Recipient {
  /** "" when there is none. */
  name: string;
  address: string;
}

/** What makes a name need quotes (RFC 5322 3.2.3). */
const SPECIAL = /[()<>[\]:;@\\,."]/;
/** What cannot be an address in any case; the server has the last word. */
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** A recipient as the API takes it: `Name <address>`, or the bare address. */
export function written({ name, address }: Recipient): string {
  // The API takes no control characters, and a name has one line.
  const clean = name.replace(/\p{Cc}+/gu, ' ').trim();
  if (clean === '' || clean === address) return address;
  const quoted = SPECIAL.test(clean) ? `"${clean.replace(/["\\]/g, '\\$&')}"` : clean;
  return `${quoted} <${address}>`;
}

/** Name and address of a recipient as the API writes it. */
export function recipientOf(text: string): Recipient {
  const [found] = parse(text, { flatten: true });
  return { name: found?.name ?? '', address: found?.address || text };
}

/**
 * The recipients that a typed or pasted text names, such as `A <a@b.example>, c@d.example`, one a line or between commas or
 * semicolons; `rest` is what names none.
 */
export function recipientsIn(text: string): { recipients: Recipient[]; rest: string } {
  const found = parse(text.replace(/[\r\n\t]+/g, ', '), { flatten: true });
  const recipients = found.filter(({ address }) => ADDRESS.test(address ?? ''));
  const rest = found.filter(({ address }) => !ADDRESS.test(address ?? ''));
  return {
    recipients: recipients.map(({ name, address }) => ({ name: name ?? '', address: address ?? '' })),
    rest: rest.map(({ name, address }) => [name, address].filter(Boolean).join(' ')).join(', '),
  };
}

/** Whether two written recipients are the same address. */
export function isSameAddress(a: string, b: string): boolean {
  return recipientOf(a).address.toLowerCase() === recipientOf(b).address.toLowerCase();
}

/** The recipients without those that are there twice. */
export function withoutRepeats(recipients: readonly string[]): string[] {
  return recipients.filter(
    (recipient, index) => recipients.findIndex((one) => isSameAddress(one, recipient)) === index,
  );
}
