import { describe, expect, it } from 'vitest';
import { DatabaseOutage } from '../../src/decide/database-outage.ts';

const away = new Error('remaining connection slots are reserved');

describe('a process that should decide', () => {
  it('fails the check with the cause after 10 s without the database', () => {
    const standstill = new DatabaseOutage();
    standstill.missed('partitions', { sinceMs: 1_000, why: new Error('the connection was lost') });
    standstill.missed('partitions', { sinceMs: 9_000, why: away });
    expect(() => standstill.check(10_999)).not.toThrow();
    expect(() => standstill.check(11_000)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('cannot decide events'), cause: away }),
    );
    standstill.found('partitions');
    expect(() => standstill.check(12_000)).not.toThrow();
  });

  it('needs both the connection that holds the partitions and those of the hosts', () => {
    const standstill = new DatabaseOutage();
    standstill.missed('hosts', { sinceMs: 0, why: away });
    standstill.found('partitions');
    expect(() => standstill.check(10_000)).toThrow('cannot decide events');
  });

  it('restarts the time limit after a recovery', () => {
    const standstill = new DatabaseOutage();
    standstill.missed('hosts', { sinceMs: 0, why: away });
    standstill.found('hosts');
    standstill.missed('hosts', { sinceMs: 9_000, why: away });
    expect(() => standstill.check(18_999)).not.toThrow();
  });
});
