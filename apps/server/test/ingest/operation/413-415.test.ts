import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { doorKit, operation, problemOf, records } from '../support/door-kit.ts';

const bytesMax = 64 * 1024;

function bodyOf(bytes: number): string {
  const shell = JSON.stringify({ ...operation, more: [''] });
  return shell.replace('[""]', `["${'x'.repeat(bytes - shell.length)}"]`);
}

describe('a body that is too large is refused', () => {
  it('above 64 KiB, but not at 64 KiB', async () => {
    const kit = await doorKit();
    expect((await kit.post('operation', bodyOf(bytesMax))).statusCode).toBe(200);
    const response = await kit.post('operation', bodyOf(bytesMax + 1));
    expect([response.statusCode, problemOf(response).code]).toEqual([413, 'body.tooLarge']);
    expect(await records(kit)).toHaveLength(1);
    expect(kit.refused).toMatchObject([{ status: 413, bodyBytes: bytesMax + 1, workspaceId: kit.workspace.id }]);
  });
});

describe('another type of body is refused', () => {
  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=iso-8859-1'],
    ['application/jsonp'],
    ['application/json, text/plain'],
    ['application/problem+json'],
    [''],
  ])('%j', async (type) => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation, { headers: { 'content-type': type } });
    expect([response.statusCode, problemOf(response).code]).toEqual([415, 'type.unsupported']);
    expect(await records(kit)).toEqual([]);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip'])('compressed by %s', async (encoding) => {
    const kit = await doorKit();
    const headers = { 'content-encoding': encoding };
    const response = await kit.post('operation', gzipSync(JSON.stringify(operation)), { headers });
    expect(response.statusCode).toBe(415);
  });

  it.each([
    'application/json;charset=UTF-8',
    'Application/JSON; Charset="utf-8"',
    ' application/json ',
    'application/json;',
  ])('but not %j', async (type) => {
    const kit = await doorKit();
    const headers = { 'content-type': type, 'content-encoding': 'identity' };
    expect((await kit.post('operation', operation, { headers })).statusCode).toBe(200);
  });
});
