/** The invoice desk of `examples/`, killed after each of its writes and started again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTransport } from 'nodemailer';
import { data, makeKey, makeUser } from '../areas/accounts.ts';
import { forEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { OWNER_KEY, startApp, type TestApp } from '../harness.ts';
import { WITHOUT_PYTHON } from '../python.ts';
import { type CuttingProxy, startProxy } from './cutting-proxy.ts';
import { EXAMPLES, permissionsOf, RunningProgram } from './programs.ts';

const PROGRAM = join(EXAMPLES, 'invoice-desk', 'invoice_desk.py');
const PDF = Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n');
const THIS_MONTH = new Date().toISOString().slice(0, 7);

interface Letter {
  from: string;
  subject: string;
  text: string;
  date: string;
  files: [filename: string, content: Buffer | string][];
}

const letter = (fields: Partial<Letter> = {}): Letter => ({
  from: 'Acme <billing@acme.example>',
  subject: 'Invoice 17',
  text: 'Total: EUR 1,200.50',
  date: `${THIS_MONTH}-01T08:00:00Z`,
  files: [['invoice-17.pdf', PDF]],
  ...fields,
});

forEachEngine((engine) => {
  describe('the invoice desk', { skip: WITHOUT_PYTHON }, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(async () => {
      for (const program of programs) program.kill();
      await app.stop();
    });

    interface Desk {
      email: string;
      key: string;
      colleague: { email: string; key: string };
    }

    async function makeDesk(): Promise<Desk> {
      const [{ id, email }, colleague] = [await makeUser(app, { name: 'Desk' }), await makeUser(app)];
      const { key } = await makeKey(app, permissionsOf('Invoice desk'), { user_id: id });
      const reading = [
        'files.read',
        'sheets.values.read',
        'mail.messages.read',
        'docs.documents.read',
      ] as const;
      const { key: reader } = await makeKey(app, reading, { user_id: colleague.id });
      return { email, key, colleague: { email: colleague.email, key: reader } };
    }

    const programs: RunningProgram[] = [];
    const start = ({ key, colleague }: Desk, address = app.address) => {
      const settings = { ATRIUM_URL: address, ATRIUM_KEY: key };
      const program = new RunningProgram(['python3', PROGRAM, colleague.email], settings);
      programs.push(program);
      return program;
    };

    async function deliver(to: string, { from, subject, text, date, files }: Letter): Promise<void> {
      const transport = createTransport({ ...app.smtp, ignoreTLS: true });
      const attachments = files.map(([filename, content]) => ({
        filename,
        content,
        contentType: 'application/pdf',
      }));
      await transport.sendMail({ from, to, subject, text, date: new Date(date), attachments });
      transport.close();
    }

    /** The messages of a folder: subject and flags that are set. */
    async function mailIn(folder: string, key: string): Promise<string[]> {
      const listed = data(await app.get(`/v1/messages?folder_id=${folder}&limit=200`, { key }));
      return listed.map(({ subject }: { subject: string }) => subject).sort();
    }

    /** What the colleague sees: the lines of the spreadsheet, the number above them, and the files. */
    async function seen({ colleague: { key } }: Desk) {
      const [folder, ...more] = data(await app.get('/v1/file-folders?shared=true', { key }));
      assert.deepEqual(more, []);
      const [sheet] = data(await app.get(`/v1/documents?folder_id=${folder.id}`, { key }));
      const read = data(await app.get(`/v1/spreadsheets/${sheet.id}/values/A1:E100`, { key }));
      const [[, month], , ...rows] = read.values;
      const files = data(await app.get(`/v1/files?folder_id=${folder.id}&limit=100`, { key }));
      const written = rows.filter((row: unknown[]) => row.some((value) => value !== '' && value !== null));
      return { month, rows: written.map((row: unknown[]) => row.slice(0, 4)), files, sheet: sheet.id };
    }

    it('files what comes and what came before it ran, and shows it to a colleague', async () => {
      const desk = await makeDesk();
      let program = start(desk);
      await program.says('Waiting for invoices.');
      await deliver(desk.email, letter());
      await deliver(desk.email, letter({ subject: 'Lunch', files: [] }));
      await deliver(
        desk.email,
        letter({ subject: 'Your invoice, as a page', files: [['i.pdf', '<html><p>No']] }),
      );
      await deliver(
        desk.email,
        letter({
          from: '"Acme <billing@acme.example>" <mallory@evil.example>',
          subject: '=HYPERLINK("http://evil.example","invoice")',
          files: [['=1+1.pdf', PDF]],
          text: 'Pay.',
        }),
      );
      await program.says('of mallory@evil.example');
      await program.stop();
      assert.match(program.output, /Stopped\.\n$/);
      await deliver(
        desk.email,
        letter({ subject: 'INVOICE 18', date: '2025-10-15T08:00:00Z', text: 'total 7.25' }),
      );
      program = start(desk);
      await program.says('Waiting for invoices.');
      const starred = async () =>
        data(await app.get('/v1/messages?folder_id=inbox&flag=starred', { key: desk.key }));
      await eventually(
        async () => (await mailIn('archive', desk.key)).length === 3 && (await starred()).length === 1,
        'all is filed',
      );
      await program.stop();
      const { month, rows, files } = await seen(desk);
      assert.deepEqual(rows, [
        [`${THIS_MONTH}-01`, 'billing@acme.example', 'invoice-17.pdf', 1200.5],
        [`${THIS_MONTH}-01`, 'mallory@evil.example', '=1+1.pdf', ''],
        ['2025-10-15', 'billing@acme.example', 'invoice-17.pdf', 7.25],
      ]);
      assert.equal(month, 1200.5);
      assert.equal(files.length, 3);
      const { key } = desk.colleague;
      const bytes = await app.get(`/v1/files/${files[0].id}/content`, { key });
      assert.deepEqual([bytes.status, bytes.text], [200, PDF.toString()]);
      assert.equal((await mailIn('inbox', key)).length, 1, 'the colleague is told of the folder, once');
      assert.deepEqual(await mailIn('inbox', desk.key), ['Lunch', 'Your invoice, as a page']);
      assert.deepEqual(
        (await starred()).map(({ subject, labels }: { subject: string; labels: string[] }) => [
          subject,
          labels,
        ]),
        [['Your invoice, as a page', []]],
      );
      assert.deepEqual(
        data(await app.get('/v1/messages?folder_id=archive&unread=true', { key: desk.key })),
        [],
      );
    });

    it('does nothing twice and leaves nothing out, after which write it ever dies', async (t) => {
      const desk = await makeDesk();
      const proxy: CuttingProxy = await startProxy(app.address);
      t.after(() => proxy.stop());
      const deaths = new Map<string, number>();
      let program = start(desk, proxy.address);
      proxy.cut = (path) => {
        const step = /[^/]*$/.exec(path)?.[0] ?? '';
        const before = deaths.get(step) ?? 0;
        if (before === 2) return false;
        deaths.set(step, before + 1);
        program.kill();
        return true;
      };
      const runUntil = (isDone: () => boolean | Promise<boolean>) =>
        eventually(async () => {
          if (program.hasEnded) program = start(desk, proxy.address);
          return isDone();
        }, 'the desk gets there');
      // The filter has to be there before the mail is.
      await runUntil(() => program.output.includes('Waiting'));
      const sent = ['Invoice A', 'Invoice B', 'Invoice C'];
      for (const subject of sent)
        await deliver(
          desk.email,
          letter({
            subject,
            files: [
              [`${subject}.pdf`, PDF],
              ['terms.pdf', PDF],
            ],
          }),
        );
      await runUntil(async () => !program.hasEnded && (await mailIn('archive', desk.key)).length === 3);
      await program.stop();
      assert.deepEqual([...deaths].sort(), [
        ['A1', 2],
        ['append', 2],
        ['batch', 2],
        ['documents', 1],
        ['file-folders', 1],
        ['filters', 1],
        ['permissions', 1],
        ['save', 2],
      ]);
      const { rows, files } = await seen(desk);
      const names = rows.map(([, , name]: string[]) => name).sort();
      const wanted = [
        ...sent.map((subject) => `${subject}.pdf`),
        'terms.pdf',
        'terms.pdf',
        'terms.pdf',
      ].sort();
      assert.deepEqual(names, wanted);
      assert.deepEqual(files.map(({ title }: { title: string }) => title).sort(), wanted);
      assert.equal((await mailIn('inbox', desk.colleague.key)).length, 1);
      assert.deepEqual(data(await app.get('/v1/mail/filters', { key: desk.key })).length, 1);
    });

    it('says what is refused, and ends', async () => {
      const program = start({ email: '', key: 'wrong', colleague: { email: '', key: OWNER_KEY } });
      await program.ended();
      assert.match(program.output, /^http\S+\/v1\/mail\/filters: 401 .*invalid_api_key/);
    });
  });
});
