import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { executed, httpReceiver, rawReceiver } from './support/receivers.ts';
import { request, testTransport } from './support/test-transport.ts';

/**
 * Goal: whatever a receiver does, it costs no more than the deadline and the bound, and is reported with a reason.
 * Method: real receivers on real sockets, each with one bad habit.
 */
describe('a receiver that works', () => {
  it('gets exactly the request, once', async () => {
    const receiver = await httpReceiver();
    const sent = await testTransport().send(`${receiver.url}?tenant=1`);
    expect(sent).toMatchObject({ kind: 'answer', status: 200, truncated: false });
    expect(sent.kind === 'answer' && Buffer.from(sent.body).toString()).toBe('{"code":1}');
    expect(receiver.received).toEqual([
      { path: '/hook?tenant=1', body: request.body, headers: expect.objectContaining(request.headers) },
    ]);
    expect(receiver.received[0]?.headers['content-length']).toBe(String(Buffer.byteLength(request.body)));
  });

  it('is reported with its address, and its connection is reused', async () => {
    const receiver = await httpReceiver();
    const { send } = testTransport();
    const first = await send(receiver.url);
    expect(first.connection).toMatchObject({
      resolved: ['127.0.0.1'],
      address: '127.0.0.1',
      reused: false,
      tls: undefined,
    });
    const second = await send(receiver.url);
    expect(second.connection).toMatchObject({ address: '127.0.0.1', reused: true, connectMs: undefined });
    expect(receiver.connections()).toBe(1);
  });

  it('gets a new connection when its settings change, or when it closes the old one', async () => {
    const receiver = await httpReceiver((received, response) => {
      if (received.path === '/close') response.setHeader('connection', 'close');
      executed(received, response, response.req);
    });
    const { send } = testTransport();
    await send(receiver.url);
    await send(receiver.url.replace('/hook', '/other'));
    expect(receiver.connections()).toBe(2);
    await send(receiver.url.replace('/hook', '/close'));
    await send(receiver.url.replace('/hook', '/close'));
    expect(receiver.connections()).toBe(4);
  });

  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"code":1}';
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
  it.each([
    ['102', ['HTTP/1.1 102 Processing\r\n\r\n', answer]],
    ['103', ['HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n', answer]],
    ['100', [goOn, answer]],
    ['100 with a header', ['HTTP/1.0 100\r\nserver: old\r\n\r\n', answer]],
    ['100, twice, in one piece', [`${goOn}${goOn}${answer}`]],
    ['100 in two pieces', ['HTTP/1.1 100 Conti', 'nue\r\n\r\n', answer]],
    ['100 byte by byte', [...goOn.split(''), answer]],
    ['100 cut before its last byte, which comes with the answer', [goOn.slice(0, -1), `\n${answer}`]],
    ['100, and the answer in two pieces that begin alike', [goOn, 'HTTP/1.1 ', answer.slice(9)]],
  ])('may send status %s first', async (_, [first = '', ...rest]) => {
    const receiver = await rawReceiver((socket) => {
      socket.on('data', () => {
        socket.write(first);
        // In later turns of the event loop, so that each piece arrives separately.
        for (const [i, piece] of rest.entries()) setTimeout(() => socket.write(piece), 20 * (i + 1));
      });
    });
    const transport = testTransport();
    for (const _ of ['a new connection', 'a kept one']) {
      expect(await transport.send(receiver.url)).toMatchObject({ kind: 'answer', status: 200 });
    }
    expect(receiver.connections()).toBe(1);
  });
});

describe('a receiver that hangs', () => {
  type Serve = Parameters<typeof rawReceiver>[0];
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
  const says =
    (text: string): Serve =>
    (socket) =>
      socket.once('data', () => socket.write(text));
  /** Writes a piece every 200 ms, so that no timeout between two bytes fires. */
  const drips =
    (start: string, piece: string): Serve =>
    (socket) => {
      socket.once('data', () => {
        socket.write(start);
        const timer = setInterval(() => socket.write(piece), 200);
        socket.once('close', () => clearInterval(timer));
      });
    };

  it('is aborted after 15 s, whatever it does meanwhile', async () => {
    const { send } = testTransport();
    const zoo: Readonly<Record<string, Serve>> = {
      'after accepting': () => {},
      'within its headers': says(head),
      'within its body': says(`${head}content-length: 10\r\n\r\n{"co`),
      'dripping headers': drips(head, 'x-more: 1\r\n'),
      'dripping a body': drips(`${head}content-length: 100000\r\n\r\n`, ' '),
      'dripping chunks': drips(`${head}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
      'promising an answer forever': drips('', 'HTTP/1.1 102 Processing\r\n\r\n'),
    };
    const receivers = await Promise.all(Object.values(zoo).map((serve) => rawReceiver(serve)));
    const sent = await Promise.all(receivers.map(({ url }) => send(url)));
    const told = sent.map((one) => (one.kind === 'failure' ? one.reason : one.kind));
    expect(Object.fromEntries(Object.keys(zoo).map((name, index) => [name, told[index]]))).toEqual(
      Object.fromEntries(Object.keys(zoo).map((name) => [name, 'timeout'])),
    );
    for (const { durationMs } of sent) {
      expect(durationMs).toBeGreaterThan(14_500);
      expect(durationMs).toBeLessThan(20_000);
    }
  });
});

describe('a receiver that sends too much', () => {
  it('is read to 64 KiB and cut off, endless or not, without filling memory', async () => {
    let writtenBytes = 0;
    const receiver = await rawReceiver((socket) => {
      const chunk = Buffer.alloc(256 * 1_024, 32);
      const more = (): void => {
        while (!socket.destroyed && writtenBytes < 1_024 ** 3) {
          writtenBytes += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', more);
        }
      };
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
        more();
      });
    });
    const before = process.memoryUsage().rss;
    const sent = await testTransport().send(receiver.url);
    expect(sent).toMatchObject({ kind: 'answer', truncated: true });
    expect(sent.kind === 'answer' && sent.body.length).toBe(64 * 1_024);
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1_024 ** 2);
    expect(writtenBytes).toBeLessThan(64 * 1_024 ** 2);
  });

  it('with endless headers fails as a protocol error', async () => {
    const receiver = await rawReceiver((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${'x-filler: 0123456789\r\n'.repeat(5_000)}`));
    });
    expect(await testTransport().send(receiver.url)).toMatchObject({ kind: 'failure', reason: 'protocol' });
  });

  it('in gzip is not decompressed: compression was not requested', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1_024 ** 2));
    const receiver = await httpReceiver((_, response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    const sent = await testTransport().send(receiver.url);
    expect(sent).toMatchObject({ kind: 'answer' });
    expect(sent.kind === 'answer' && sent.body.length).toBeLessThanOrEqual(64 * 1_024);
  });
});

describe('a receiver that breaks off', () => {
  it.each<[string, Parameters<typeof rawReceiver>[0], string]>([
    ['by a reset before it reads', (socket) => socket.resetAndDestroy(), 'reset'],
    ['by a reset after it has read', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'reset'],
    ['by closing without an answer', (socket) => socket.once('data', () => socket.end()), 'reset'],
    ['by closing within its headers', (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 O')), 'reset'],
    [
      'by closing within its body',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{')),
      'reset',
    ],
    [
      'with a wrong chunk',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')),
      'protocol',
    ],
    [
      'with something that is not HTTP',
      (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
      'protocol',
    ],
    [
      'with two lengths',
      (socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}')),
      'protocol',
    ],
  ])('%s', async (_, serve, reason) => {
    const receiver = await rawReceiver(serve);
    expect(await testTransport().send(receiver.url)).toMatchObject({ kind: 'failure', reason });
  });

  it('or refuses the connection', async () => {
    expect(await testTransport().send('http://127.0.0.1:1/hook')).toMatchObject({ kind: 'failure', reason: 'refused' });
  });

  it('or has no address', async () => {
    const sent = await testTransport().send('http://bank.invalid/hook');
    expect(sent).toMatchObject({ kind: 'failure', reason: 'dns' });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is not followed', async (status) => {
    const elsewhere = await httpReceiver();
    const receiver = await httpReceiver((_, response) => response.writeHead(status, { location: elsewhere.url }).end());
    expect(await testTransport().send(receiver.url)).toMatchObject({ kind: 'answer', status });
    expect(elsewhere.connections()).toBe(0);
  });
});

describe('a stop', () => {
  it('aborts running requests, with the reason `interrupted`', async () => {
    const stop = new AbortController();
    const receiver = await rawReceiver((socket) => socket.once('data', () => stop.abort()));
    const sent = await testTransport().send(receiver.url, { stop: stop.signal });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'interrupted' });
  });
});
