import { expect, it } from 'vitest';
import { evict, residentCount } from '../../src/store/checkpoint/checkpoint.ts';
import { keysOf, step } from '../../src/step.ts';
import { prng } from '../prng.ts';
import { bytesOf } from '../state-bytes.ts';
import { historyOf } from './history.ts';
import { HostTwin } from './host-twin.ts';

it('looking up keys changes nothing, and after loading them no key is requested', () => {
  const { records } = historyOf(prng(7), 150);
  const host = new HostTwin({ complete: false });
  let questions = 0;
  for (const record of records) {
    host.forgetAll();
    const before = bytesOf(host.state);
    const keys = keysOf(host.state, record);
    const asked = keys.length > 0 ? step(host.state, record) : undefined;
    expect(asked ?? { kind: 'need', keys }).toEqual({ kind: 'need', keys });
    expect(bytesOf(host.state)).toEqual(before);
    questions += keys.length;
    host.step(record);
  }
  expect(questions).toBeGreaterThan(records.length);
});

it('a changed entity is not evicted before it is stored', () => {
  const { records } = historyOf(prng(8), 80);
  const host = new HostTwin();
  for (const record of records) host.step(record);
  const before = bytesOf(host.state);
  evict(host.state, 0);
  evict(host.state, 0);
  expect(bytesOf(host.state)).toEqual(before);
  host.capture();
  evict(host.state, 0);
  expect(bytesOf(host.state)).toEqual(before);
  host.store();
  evict(host.state, 0);
  evict(host.state, 0);
  expect(residentCount(host.state)).toBe(0);
});
