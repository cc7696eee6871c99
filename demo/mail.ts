import type { Random } from '../bench/mail/random.ts';
import type { Atrium } from '../client/src/index.ts';
import { type Letter, rawMessage } from './letters.ts';
import type { Cast, Person } from './people.ts';

const TOPICS = [
  ['Minutes of Tuesday', 'work'],
  ['The budget for spring', 'money'],
  ['Tea in the garden', 'friends'],
  ['A proof that is too long for this margin', 'reading'],
  ['Punched cards', 'work'],
  ['Tickets to Göttingen', 'travel'],
  ['Invoice 1843', 'money'],
  ['Bugs, this time a moth', 'work'],
  ['Trajectories', 'work'],
  ['Photos from the summer', 'friends'],
] as const;
const SENTENCES = [
  'I have looked at it twice, and it still adds up.',
  'Could you read the second page before Thursday?',
  'The engine stopped at noon and went on at one.',
  'Let us talk about it over tea.',
  'The numbers are attached.',
  'Nobody has found the mistake yet, which does not mean that there is none.',
  'I shall be travelling until Monday.',
  'Thank you, that was exactly what I had hoped for.',
];
const STRANGERS = ['Charles Babbage <charles@engines.example>', 'The Royal Society <news@society.example>'];
const HOUR_MS = 3_600_000;
const MOST_IN_THREAD = 6;
const AT_ONCE = 8;

/**
 * Fills the mailboxes: filters, folders, `messages` old messages for the owner and fewer for the others, and new
 * mail.
 */
export async function makeMail({ people }: Cast, random: Random, messages: number): Promise<void> {
  await Promise.all(people.map(({ atrium }) => makeFilters(atrium)));
  for (const [index, person] of people.entries()) {
    await fillMailbox(person, people, random, index === 0 ? messages : Math.ceil(messages / 10));
  }
  await sendNews(people, random);
}

async function makeFilters({ mail }: Atrium): Promise<void> {
  await mail.createMailFilter({
    name: 'Invoices',
    priority: 10,
    rule: {
      conditions: [{ field: 'subject', op: 'contains', value: 'invoice' }],
      actions: [
        { type: 'move', folder: 'Money/Invoices' },
        { type: 'set_flag', flag: 'starred' },
      ],
    },
  });
  await mail.createMailFilter({
    name: 'Newsletters are read later',
    priority: 20,
    rule: {
      match: 'any',
      conditions: [
        { field: 'from', op: 'ends_with', value: '@society.example' },
        { field: 'header:List-Id', op: 'contains', value: 'news' },
      ],
      actions: [{ type: 'mark_read' }],
    },
  });
}

/** Appends threads of the past, in which each message replies to the one before. */
async function fillMailbox(
  { user, atrium }: Person,
  people: readonly Person[],
  random: Random,
  messages: number,
): Promise<void> {
  const folders = await atrium.mail.listMailFolders();
  const inFolder = (role: string) => folders.find((folder) => folder.role === role)?.id ?? '';
  const mine = `${user.name} <${user.email}>`;
  const senders = [...people.map(({ user: other }) => `${other.name} <${other.email}>`), ...STRANGERS];
  const letters: Letter[] = [];
  while (letters.length < messages) letters.push(...thread(mine, senders, random));
  await eachOf(letters.slice(0, messages), async (letter) => {
    const [folderId, flags] = letter.from === mine ? [inFolder('sent'), ['read' as const]] : received(letter);
    const query = { flag: flags, ...(letter.label !== undefined && { label: letter.label }) };
    await atrium.mail.appendMessage(folderId, rawMessage(letter), query);
  });

  function received({ age, isStarred }: Letter) {
    const folder = inFolder(age > 60 * 24 * HOUR_MS ? 'archive' : 'inbox');
    const flags = [
      ...(age > 48 * HOUR_MS ? ['read' as const] : []),
      ...(isStarred ? ['starred' as const] : []),
    ];
    return [folder, flags] as const;
  }
}

function thread(mine: string, senders: readonly string[], random: Random): Letter[] {
  const [subject, label] = random.of(TOPICS);
  const other = random.of(senders.filter((sender) => sender !== mine));
  const began = random.below(90 * 24) * HOUR_MS;
  const key = `${random.below(2 ** 31)}.${random.below(2 ** 31)}`;
  return Array.from({ length: 1 + random.below(MOST_IN_THREAD) }, (_, index) => {
    const isMine = index % 2 === 1;
    return {
      from: isMine ? mine : other,
      to: isMine ? other : mine,
      subject: index === 0 ? subject : `Re: ${subject}`,
      text: [random.of(SENTENCES), random.of(SENTENCES)].join(' '),
      id: `${key}.${index}`,
      references: Array.from({ length: index }, (_, earlier) => `${key}.${earlier}`),
      age: Math.max(began - index * 7 * HOUR_MS, HOUR_MS),
      label: random.chance(0.5) ? label : undefined,
      isStarred: random.chance(0.08),
      hasTable: random.chance(0.1),
    };
  });
}

/** Sends mail that arrives now, through the filters of its recipients. */
async function sendNews(people: readonly Person[], random: Random): Promise<void> {
  const [owner, ...others] = people;
  if (!owner) return;
  for (const [index, { atrium }] of others.entries()) {
    const subject = index % 2 === 0 ? `Invoice ${1843 + index}` : 'News from the reading room';
    const text = `${random.of(SENTENCES)} ${random.of(SENTENCES)}`;
    await atrium.mail.sendMessage({ to: [owner.user.email], subject, text });
  }
  const [first] = (await owner.atrium.mail.listMessages({ unread: true }).first()).items;
  const answer = { to: [others[0]?.user.email ?? ''], text: 'Gladly.', subject: 'Re: Invoice 1843' };
  if (first) await owner.atrium.mail.sendMessage({ ...answer, reply_to_message_id: first.id });
}

/** Processes all items with limited concurrency. */
async function eachOf<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = list.values();
  const next = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}
