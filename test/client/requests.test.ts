import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Atrium, AtriumError, ConnectionError } from '../../client/src/index.ts';
import { collectGarbage } from '../live-bytes.ts';

/** Uses a client of a server that gives each answer once, in turn, and answers the requests that came. */
async function against(
  answers: RequestListener[],
  use: (atrium: Atrium) => Promise<void>,
  retries?: number,
): Promise<IncomingMessage[]> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answers[asked.length - 1]?.(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = { address: `http://127.0.0.1:${port}/below/`, key: 'the key' };
  try {
    await use(new Atrium({ ...settings, ...(retries !== undefined && { retries }) }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.equal(asked.length, answers.length);
  return asked;
}

const answer =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));

const hangUp: RequestListener = (request) => request.socket.destroy();

const cutOff: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('{"data":');
  setImmediate(() => response.destroy());
};

const page = (items: unknown[], cursor = ''): RequestListener =>
  answer(200, { data: items, pagination: { next_cursor: cursor, has_more: cursor !== '' } });

const keysOf = (asked: IncomingMessage[]) => asked.map(({ headers }) => headers['idempotency-key']);

describe('the requests of the client', () => {
  it('are sent again where the failure may pass, under the same Idempotency-Key', async () => {
    const answers = [
      answer(503, {}),
      answer(429, {}, { 'retry-after': '0' }),
      answer(502, 'a proxy says that nobody is there'),
      hangUp,
      cutOff,
      answer(201, { data: { id: 'cal_1' } }),
    ];
    const asked = await against(answers, async (atrium) => {
      assert.deepEqual(await atrium.calendar.createCalendar({ name: 'Work' }), { id: 'cal_1' });
    });
    const [key, ...others] = new Set(keysOf(asked));
    assert.match(String(key), /^[0-9a-f]{32}$/);
    assert.deepEqual(others, []);
    assert.equal(asked[0]?.url, '/below/v1/calendars');
    assert.equal(asked[0]?.headers.authorization, 'Bearer the key');
  });

  it('have a key of their own each, or the one that is given', async () => {
    const made = answer(201, { data: {} });
    const asked = await against([made, made, made], async ({ calendar }) => {
      await calendar.createCalendar({ name: 'Work' });
      await calendar.createCalendar({ name: 'Work' });
      await calendar.createCalendar({ name: 'Work' }, { idempotencyKey: 'mine' });
    });
    const keys = keysOf(asked);
    assert.equal(new Set(keys).size, 3);
    assert.equal(keys[2], 'mine');
  });

  it('wait as long as the server asks for', async () => {
    const times: number[] = [];
    const noted =
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        times.push(performance.now());
        listener(request, response);
      };
    const answers = [answer(429, {}, { 'retry-after': '1' }), answer(200, { data: [] })].map(noted);
    await against(answers, async ({ mail }) => assert.deepEqual(await mail.listMailFolders(), []));
    const [first = 0, second = 0] = times;
    assert.ok(second - first >= 1000);
  });

  it('are left to the caller where the server asks for more time than a call may wait', () =>
    against([answer(429, {}, { 'retry-after': '3600' })], ({ directory }) =>
      assert.rejects(directory.getOwnUser(), { status: 429, retryAfterMs: 3_600_000 }),
    ).then(() => undefined));

  it('never go to another operation than the one that was called', () =>
    against([], async ({ mail, files }) => {
      await assert.rejects(mail.appendMessage('..', 'Subject: one'), TypeError);
      await assert.rejects(files.getFile('.'), TypeError);
      await assert.rejects(files.revokeFilePermission('file_1', ''), TypeError);
    }).then(() => undefined));

  it('are not sent again when they were refused', async () => {
    const error = { code: 'quota_exceeded', message: 'Full.', details: { size: 1 } };
    await against([answer(507, { error, meta: { request_id: 'req_1' } })], ({ directory }) =>
      assert.rejects(directory.getOwnUser(), (thrown) => {
        assert.ok(thrown instanceof AtriumError);
        const { code, message, details, status, requestId } = thrown;
        assert.deepEqual(
          [code, message, details, status, requestId],
          ['quota_exceeded', 'Full.', { size: 1 }, 507, 'req_1'],
        );
        return true;
      }),
    );
  });

  it('are refused by whatever answers that they are', () =>
    against([answer(404, { error: null, meta: null })], ({ directory }) =>
      assert.rejects(directory.getOwnUser(), { name: 'AtriumError', code: 'unknown', status: 404 }),
    ).then(() => undefined));

  it('have an address that they can be sent to', () => {
    for (const address of [
      'atrium',
      'ftp://host',
      'http://ada:secret@host',
      'http://host/?a=b',
      'http://host/#a',
    ])
      assert.throws(() => new Atrium({ address, key: 'the key' }), TypeError, address);
  });

  it('do not follow a redirect, and say that it was not Atrium that answered', () =>
    against([answer(301, {}, { location: '/elsewhere' })], ({ directory }) =>
      assert.rejects(directory.getOwnUser(), { name: 'AtriumError', code: 'unknown', status: 301 }),
    ).then(() => undefined));

  it('are tried as often as is asked for', async () => {
    await against(
      [hangUp, hangUp],
      async ({ directory }) => {
        await assert.rejects(directory.getOwnUser(), ConnectionError);
      },
      1,
    );
  });

  it('end when they are aborted, while they wait for an answer or for the next try', async () => {
    const reason = new Error('enough');
    for (const first of [(() => undefined) as RequestListener, answer(503, {}, { 'retry-after': '30' })]) {
      const controller = new AbortController();
      const aborts: RequestListener = (request, response) => {
        first(request, response);
        response.once('close', () => controller.abort(reason));
        setImmediate(() => controller.abort(reason));
      };
      await against([aborts], ({ directory }) =>
        assert.rejects(directory.getOwnUser({ signal: controller.signal }), (thrown) => thrown === reason),
      );
    }
  });

  it('end when they are aborted after garbage was collected, before an answer and within it', async () => {
    const begins: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('1');
    };
    for (const first of [(() => undefined) as RequestListener, begins]) {
      const controller = new AbortController();
      const asked = Promise.withResolvers<void>();
      const noted: RequestListener = (request, response) => {
        first(request, response);
        asked.resolve();
      };
      await against([noted], async ({ files }) => {
        const content = files.download('file_1', { signal: controller.signal });
        const bytes = assert.rejects(
          content.then((found) => found.bytes()),
          { name: 'AbortError' },
        );
        await asked.promise;
        for (let turns = 0; turns < 10; turns++) {
          await turn();
          collectGarbage();
        }
        controller.abort();
        await bytes;
      });
    }
  });

  it('encode what goes into a path and a query', async () => {
    const asked = await against([answer(200, { data: {} }), page([])], async ({ spreadsheets, mail }) => {
      await spreadsheets.readRange('sht_1', "'My sheet'!A1:B2", { render: 'formula' });
      await mail.listMessages({ folder_id: ['a', 'b'], label: 'to do', unread: true }).all();
    });
    assert.equal(asked[0]?.url, "/below/v1/spreadsheets/sht_1/values/'My%20sheet'!A1%3AB2?render=formula");
    assert.equal(asked[1]?.url, '/below/v1/messages?folder_id=a&folder_id=b&label=to+do&unread=true');
  });
});

describe('the listings of the client', () => {
  it('ask for the next page when it is wanted', async () => {
    const pages = [page([1, 2], 'second'), page([3, 4], 'third'), page([])];
    const asked = await against(pages, async ({ contacts }) => {
      assert.deepEqual(await contacts.listContacts({ limit: 2 }).all(), [1, 2, 3, 4]);
    });
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['', '&cursor=second', '&cursor=third'].map((rest) => `/below/v1/contacts?limit=2${rest}`),
    );
  });

  it('ask for no more pages than are read', async () => {
    await against([page([1, 2], 'second')], async ({ contacts }) => {
      for await (const contact of contacts.listContacts()) if (Number(contact) === 2) break;
    });
    await against([page([1, 2], 'second')], async ({ contacts }) => {
      const first = await contacts.listContacts().first();
      assert.deepEqual(first, { items: [1, 2], nextCursor: 'second', hasMore: true });
    });
  });
});

describe('content that the client reads', () => {
  const whole = Buffer.from('0123456789');
  /** Sends from the range's start on and breaks after `most` bytes, or sends no more. */
  const part =
    (
      most: number,
      headers: object = { 'accept-ranges': 'bytes', etag: '"state"' },
      breaks = true,
    ): RequestListener =>
    (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(request.headers.range ? 206 : 200, {
        'content-length': whole.length - from,
        ...headers,
      });
      response.flushHeaders();
      const sent = () => breaks && setImmediate(() => response.destroy());
      response.write(whole.subarray(from, from + most), sent);
    };

  it('goes on where the connection broke', async () => {
    const asked = await against([part(4), hangUp, part(3), part(10)], async ({ files }) => {
      const content = await files.download('file_1');
      assert.deepEqual([content.size, content.start, content.state], [10, 0, 'state']);
      assert.equal(await content.text(), whole.toString());
    });
    const ranges = asked.map(({ headers }) => [headers.range, headers['if-range']]);
    assert.deepEqual(ranges, [
      [undefined, undefined],
      ['bytes=4-', '"state"'],
      ['bytes=4-', '"state"'],
      ['bytes=7-', '"state"'],
    ]);
  });

  it('is never put together of two states', () =>
    against([part(4), answer(200, 'something else')], async ({ files }) => {
      const content = await files.download('file_1');
      await assert.rejects(content.bytes(), { name: 'ConnectionError', message: /has changed since/ });
    }).then(() => undefined));

  it('is not resumed where no state names what came before', () =>
    against([part(4, { 'accept-ranges': 'bytes' })], async ({ files }) => {
      const content = await files.download('file_1');
      await assert.rejects(content.bytes(), ConnectionError);
    }).then(() => undefined));

  it('is that of its state also where nothing of it has come', () =>
    against([part(0), answer(200, 'something else', { etag: '"another"' })], async ({ files }) => {
      const content = await files.download('file_1');
      await assert.rejects(content.bytes(), { name: 'ConnectionError', message: /has changed since/ });
    }).then(() => undefined));

  it('ends its connection when its stream is cancelled, unread or while nothing comes', async () => {
    for (const isRead of [false, true]) {
      const closed = Promise.withResolvers<void>();
      const stalls: RequestListener = (request, response) => {
        response.once('close', closed.resolve);
        part(4, { 'accept-ranges': 'bytes', etag: '"state"' }, false)(request, response);
      };
      await against([stalls], async ({ files }) => {
        const reader = (await files.download('file_1')).stream().getReader();
        if (isRead) {
          assert.equal((await reader.read()).value?.length, 4);
          reader.read().catch(() => undefined);
        }
        await reader.cancel();
        await closed.promise;
      });
    }
  });

  it('is not resumed where the server knows no ranges', () =>
    against([part(4, { 'accept-ranges': 'none', etag: '"state"' })], async ({ mail }) => {
      const content = await mail.getRawMessage('msg_1');
      await assert.rejects(content.bytes(), ConnectionError);
    }).then(() => undefined));

  it('begins where it is asked to', async () => {
    await against([part(10)], async ({ files }) => {
      const content = await files.download('file_1', { start: 6 });
      assert.deepEqual([content.start, await content.text()], [6, '6789']);
    });
  });
});
