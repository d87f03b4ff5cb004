import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { networkFacts } from '@ringfence/intel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bitsOfIpv4, writeMmdb } from '../../../../../tools/testing/mmdb.ts';
import { filesInForce, installFiles, intelFolder, removeFiles } from '../../../src/ingest/networks/intel-folder.ts';
import { NetworkSource, oldestDataAtMs } from '../../../src/ingest/networks/network-source.ts';

let home: string;
const nowMs = 1_800_000_000_000;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringfence-networks-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function written(name: string, content: string | Buffer): string {
  const path = join(home, name);
  writeFileSync(path, content);
  return path;
}

function cityDatabase(city: string, builtAtSeconds = 1_790_000_000): Buffer {
  const value = { city: { names: { en: city } }, location: { latitude: 1, longitude: 2 } };
  return writeMmdb('City', builtAtSeconds, [[bitsOfIpv4('8.8.8.0/24'), value]]);
}

function cableDatabase(): Buffer {
  return writeMmdb('Connections', 1_790_000_000, [[bitsOfIpv4('8.0.0.0/8'), { connection_type: 'Cable/DSL' }]]);
}

/** The pointers of its search tree lead past the end of the file. */
function broken(database: Buffer): Buffer {
  return Buffer.from(database).fill(0x7f, 0, 64);
}

function source(): { readonly networks: NetworkSource; readonly said: unknown[] } {
  const said: unknown[] = [];
  const say = (what: unknown): void => void said.push(what);
  return { networks: new NetworkSource({ home, onChange: say, onError: say }), said };
}

describe('network data files', () => {
  it('become active while the service runs', () => {
    const { networks, said } = source();
    const before = networks.current;
    networks.look();
    expect(networks.current).toBe(before);
    installFiles(
      home,
      [
        { kind: 'database', path: written('a.mmdb', cityDatabase('Oslo')) },
        { kind: 'tor', path: written('exits', '8.8.8.8\n') },
      ],
      nowMs,
    );
    networks.look();
    expect(said).toEqual([['City', 'tor']]);
    expect(networkFacts('8.8.8.8', networks.current)).toMatchObject({ 'ip.city': 'Oslo', 'ip.tor': true });
    // A lookup in progress continues with the data that it has.
    expect(networkFacts('8.8.8.8', before)).not.toHaveProperty('ip.city');
  });

  it('replace files with the same name, and remove them from disk', () => {
    installFiles(home, [{ kind: 'database', path: written('a.mmdb', cityDatabase('Oslo')) }], nowMs);
    installFiles(home, [{ kind: 'vpn', path: written('vpn', '9.9.9.0/24\n') }], nowMs);
    installFiles(home, [{ kind: 'database', path: written('b.mmdb', cityDatabase('Lima')) }], nowMs + 1);
    expect(filesInForce(home).map(({ name, source: from }) => [name, from])).toEqual([
      ['City', 'b.mmdb'],
      ['vpn', 'vpn'],
    ]);
    expect(readdirSync(intelFolder(home))).toHaveLength(3);
    expect(networkFacts('8.8.8.8', source().networks.current)).toMatchObject({ 'ip.city': 'Lima', 'ip.vpn': false });
    expect(removeFiles(home, ['City']).map(({ name }) => name)).toEqual(['vpn']);
    expect(readdirSync(intelFolder(home))).toHaveLength(2);
    expect(() => removeFiles(home, ['City'])).toThrow('No file named City is installed.');
  });

  it.each([
    ['a text as a database', ['database', 'no database', 'does not end like a database']],
    [
      'a database that was cut',
      ['database', cityDatabase('Oslo').subarray(0, -300), 'it was cut, or has another format'],
    ],
    [
      'one that was cut a little',
      ['database', cityDatabase('Oslo').subarray(0, -60), 'it was cut, or has another format'],
    ],
    ['one that is damaged', ['database', broken(cityDatabase('Oslo')), 'it is damaged']],
    ['one of other facts', ['database', cableDatabase(), 'Connections contains no supported value']],
    ['a database as a list', ['tor', cityDatabase('Oslo'), 'it is a database, not a list']],
    ['a page as a list', ['tor', '<html>\n'.repeat(20), 'line 11: "<html>" is neither an address']],
    ['an empty list', ['tor', '', 'it is empty']],
    ['a compressed database', ['database', gzipSync('a database'), 'it is compressed']],
    ['a compressed list', ['vpn', Buffer.from('PK\u0003\u0004...'), 'it is compressed']],
  ] as const)('are all refused if one of them is %s', (_, [kind, content, reason]) => {
    const good = { kind: 'vpn', path: written('vpn', '9.9.9.0/24\n') } as const;
    expect(() => installFiles(home, [good, { kind, path: written('bad', content) }], nowMs)).toThrow(reason);
    expect(filesInForce(home)).toEqual([]);
  });

  it('are installed with a note if they look like a mistake', () => {
    const give = (kind: 'database' | 'vpn', name: string, content: string | Buffer): readonly string[] =>
      installFiles(home, [{ kind, path: written(name, content) }], nowMs).notes;
    expect(give('vpn', 'vpn.csv', 'cidr,country\n9.9.9.0/24,CH\n')).toEqual([
      'vpn.csv: skipped line 1: "cidr", which is neither an address nor a network.',
    ]);
    expect(give('database', 'b.mmdb', cityDatabase('Oslo', 1_795_000_000))).toEqual([]);
    expect(give('database', 'a.mmdb', cityDatabase('Oslo'))).toEqual([
      'a.mmdb: dated 2026-09-21, is older than the City of 2026-11-18 that it replaces.',
    ]);
  });

  it('that are corrupted later leave the service with the previous data', () => {
    installFiles(home, [{ kind: 'vpn', path: written('vpn', '9.9.9.0/24\n') }], nowMs);
    const { networks, said } = source();
    const before = networks.current;
    writeFileSync(join(intelFolder(home), 'current.json'), '{');
    networks.look();
    expect(networks.current).toBe(before);
    expect(String(said[0])).toContain('is corrupt');
  });

  it('have the age of the oldest data in use', () => {
    const { world } = source().networks.current;
    expect(oldestDataAtMs(world, [])).toBe(Date.parse(world.head.date));
    const { files } = installFiles(
      home,
      [
        { kind: 'database', path: written('a.mmdb', cityDatabase('Oslo')) },
        { kind: 'tor', path: written('exits', '8.8.8.8\n') },
      ],
      nowMs,
    );
    expect(oldestDataAtMs(world, files)).toBe(1_790_000_000_000);
  });
});
