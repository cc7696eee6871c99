/** The meeting bot of `examples/`, on the packed client as people install it, with an attendee elsewhere who answers by mail. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Permission } from '../../src/contract/permissions.ts';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startApp, type TestApp } from '../harness.ts';
import { oldestNodeFor, pathWith } from '../host-nodes.ts';
import { outputOf, WITHOUT_PYTHON } from '../python.ts';
import { startRelay, type TestRelay } from '../relay.ts';
import { EXAMPLES, permissionsOf, ROOT, RunningProgram } from './programs.ts';

const ATTENDEE = join(import.meta.dirname, '../areas/attendee.py');
const run = promisify(execFile);
const DAYS = [1, 2, 3, 4, 5, 6, 7];
const ZOE = 'zoe@elsewhere.example';
const READS: Permission[] = [
  'mail.messages.read',
  'mail.messages.send',
  'calendar.events.read',
  'calendar.events.write',
];

/** The bot with its client, installed by the commands of its README into a directory of its own. */
async function installBot(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-bot-'));
  const env = {
    ...process.env,
    PATH: pathWith(oldestNodeFor('client')),
    npm_config_cache: join(directory, 'cache'),
  };
  const pack = ['pack', '--silent', '--pack-destination', directory];
  const { stdout } = await run('npm', pack, { cwd: join(ROOT, 'client'), env });
  const source = join(EXAMPLES, 'meeting-bot');
  const { dependencies } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  assert.equal(
    basename(dependencies['@atrium/client']),
    stdout.trim(),
    'the example names the present client',
  );
  for (const file of ['package.json', 'meeting_bot.ts'])
    await copyFile(join(source, file), join(directory, file));
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(directory, stdout.trim())];
  await run('npm', install, { cwd: directory, env });
  return directory;
}

describe('the meeting bot', { skip: WITHOUT_PYTHON }, () => {
  let directory: string;
  before(async () => {
    directory = await installBot();
  });
  after(() => rm(directory, { recursive: true }));

  forEachEngine((engine) => {
    let app: TestApp;
    let relay: TestRelay;
    const programs: RunningProgram[] = [];
    before(async () => {
      relay = await startRelay();
      app = await startApp(engine, { ATRIUM_DOMAIN: 'home.example', ATRIUM_SMTP_RELAY: relay.url });
      data(await app.post('/v1/resources', { name: 'Room', kind: 'room' }), 201);
    });
    after(async () => {
      for (const program of programs) program.kill();
      await app.stop();
      await relay.stop();
    });

    interface Person {
      id: string;
      email: string;
      key: string;
    }

    async function person(fields: Record<string, unknown>, permissions = READS): Promise<Person> {
      const { id, email } = await makeUser(app, fields);
      return { id, email, key: (await makeKey(app, permissions, { user_id: id })).key };
    }

    async function world() {
      const hours = (start: string, end: string) => ({ working_hours: [{ days: DAYS, start, end }] });
      const bot = await person({ name: 'Bot' }, permissionsOf('Meeting bot'));
      const ada = await person({ name: 'Ada', time_zone: 'Europe/Berlin' });
      const bob = await person({ name: 'Bob', time_zone: 'America/New_York' });
      data(await app.put(`/v1/users/${ada.id}`, hours('09:00', '18:00')));
      data(await app.put(`/v1/users/${bob.id}`, hours('09:00', '17:00')));
      return { bot, ada, bob };
    }

    const startBot = async ({ key }: Person) => {
      const program = new RunningProgram(
        [process.execPath, join(directory, 'meeting_bot.ts')],
        { ATRIUM_URL: app.address, ATRIUM_KEY: key },
        directory,
      );
      programs.push(program);
      await program.says('Waiting for requests and answers.');
      return program;
    };

    const ask = async (from: Person, to: string[], cc: string[], subject = 'Meet for 45 minutes') =>
      data(await app.post('/v1/messages', { to, cc, subject, text: 'Let us.' }, { key: from.key }), 201);

    async function invitationsOf({ key }: Person) {
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      return data(await app.get(`/v1/invitations?start=${day(-1)}&end=${day(20)}`, { key }));
    }

    const respond = async ({ key }: Person, id: string, response: string) =>
      data(await app.post(`/v1/events/${id}/response`, { response }, { key }));

    async function textsOf({ key }: Person, subject: RegExp): Promise<string[]> {
      const listed = data(await app.get('/v1/messages?folder_id=inbox&limit=200', { key }));
      const texts: string[] = [];
      for (const message of listed)
        if (subject.test(message.subject))
          texts.push(data(await app.get(`/v1/messages/${message.id}`, { key })).text);
      return texts;
    }

    /** The last message of the bot to the attendee elsewhere, once there are this many. */
    async function toZoe({ email }: Person, count: number): Promise<string> {
      const all = () => relay.arrived.filter(({ from, to }) => from === email && to.includes(ZOE));
      await eventually(() => all().length >= count, `${count} messages for somebody elsewhere`);
      assert.equal(all().length, count);
      return all().at(-1)?.raw ?? '';
    }

    it('finds a time in the hours of all, moves it when somebody declines, and tells when all come', async () => {
      const { bot, ada, bob } = await world();
      let program = await startBot(bot);
      await ask(ada, [bot.email], [bob.email, `Zoe <${ZOE}>`]);
      await program.says('Invited');
      const first = await toZoe(bot, 1);
      const [invitation] = await invitationsOf(bob);
      assert.deepEqual(await invitationsOf(ada), [invitation]);
      const [start, end] = [Date.parse(invitation.starts_at), Date.parse(invitation.ends_at)];
      assert.equal(end - start, 45 * 60_000);
      assert.equal(invitation.resources.length, 1);
      const hourIn = (timeZone: string, time: number) =>
        Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(time));
      assert.ok(hourIn('Europe/Berlin', end - 1) < 18 && hourIn('America/New_York', start) >= 9);
      await program.stop();
      // What is answered meanwhile is found by the next start.
      await respond(bob, invitation.id, 'declined');
      program = await startBot(bot);
      await program.says('Moved to');
      const second = await toZoe(bot, 2);
      const [moved] = await invitationsOf(bob);
      assert.ok(Date.parse(moved.starts_at) >= end);
      assert.deepEqual([moved.id, moved.response], [invitation.id, 'needs_action']);
      for (const one of [ada, bob]) await respond(one, moved.id, 'accepted');
      const reply = (invitation: string) =>
        outputOf(
          ['python3', ATTENDEE, 'answer'],
          JSON.stringify({
            ...app.smtp,
            invitation,
            from: `Zoe <${ZOE}>`,
            to: bot.email,
            partstat: 'ACCEPTED',
          }),
        );
      await reply(first);
      await reply(second);
      await program.says('Everybody comes');
      assert.match(await toZoe(bot, 3), /^Subject: Re: Meet for 45 minutes\r$/m);
      for (const one of [ada, bob]) {
        const [text = '', ...more] = await textsOf(one, /^Re: Meet/);
        assert.match(text, /^Everybody comes on \w+, \w+ \d+, \d{4}/);
        assert.deepEqual(more, []);
      }
      await program.stop();
      program = await startBot(bot);
      await program.stop();
      assert.equal((await textsOf(ada, /^Re: Meet/)).length, 1, 'a start does not tell it again');
    });

    it('tells who asked what cannot be arranged, and takes no request from elsewhere', async () => {
      const { bot, ada } = await world();
      const program = await startBot(bot);
      await ask(ada, [bot.email], [], 'Meet for 9999 minutes');
      await eventually(async () => (await textsOf(ada, /^Re: Meet/)).length > 0, 'Ada is told');
      assert.match((await textsOf(ada, /^Re: Meet/))[0] ?? '', /no time within two weeks/);
      const message = [
        `From: ${ada.email}`,
        `To: ${bot.email}`,
        'Subject: Meet for 15 minutes',
        '',
        'Now.',
        '',
      ];
      const messages = [{ envelope: ada.email, to: [bot.email], message: message.join('\r\n') }];
      await outputOf(['python3', ATTENDEE, 'send'], JSON.stringify({ ...app.smtp, messages }));
      await program.says('came by SMTP');
      assert.deepEqual(await invitationsOf(ada), []);
      await program.stop();
    });
  });
});
