import { dayMs } from '@ringfence/contract';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedTable } from '@ringfence/intel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bitsOfIpv4, writeMmdb } from '../../../../../tools/testing/mmdb.ts';
import { checkNetworks } from '../../../src/cli/doctor/check-networks.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { type GivenFile, installFiles, intelFolder } from '../../../src/ingest/networks/intel-folder.ts';

const shippedAtMs = Date.parse(shippedTable().head.date);
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ringfence-check-networks-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function checked(nowMs: number): Finding {
  return checkNetworks({ home } as Parameters<typeof checkNetworks>[0], nowMs);
}

function give(kind: GivenFile['kind'], content: string | Buffer): void {
  const path = join(home, kind);
  writeFileSync(path, content);
  installFiles(home, [{ kind, path }], shippedAtMs);
}

describe('network data', () => {
  it('built into the release are good for a year, then doctor suggests an update', () => {
    expect(checked(shippedAtMs + 365 * dayMs)).toEqual({
      what: 'network data',
      state: 'good',
      detail: 'the built-in table, 365 days old',
    });
    const later = checked(shippedAtMs + 366 * dayMs);
    expect(later.state).toBe('unwise');
    expect(later.mend).toContain('newer data for the built-in table: ringfence intel update FILE');
  });

  it('that were installed are checked instead: databases after half a year, lists after a month', () => {
    const value = { country: { iso_code: 'MX' } };
    give('database', writeMmdb('Country', shippedAtMs / 1_000, [[bitsOfIpv4('8.0.0.0/8'), value]]));
    give('tor', '8.8.8.8\n');
    expect(checked(shippedAtMs + 30 * dayMs)).toMatchObject({
      state: 'good',
      detail: 'tor, 30 days old; Country, 30 days old',
    });
    const month = checked(shippedAtMs + 31 * dayMs);
    expect(month.state).toBe('unwise');
    expect(month.mend).toContain('newer data for tor: ');
    expect(checked(shippedAtMs + 181 * dayMs).mend).toContain('newer data for tor, Country: ');
  });

  it('that are damaged are reported as bad', () => {
    give('tor', '8.8.8.8\n');
    writeFileSync(join(intelFolder(home), 'current.json'), '{');
    expect(checked(shippedAtMs)).toMatchObject({ state: 'bad', detail: expect.stringContaining('corrupt') as string });
  });
});
