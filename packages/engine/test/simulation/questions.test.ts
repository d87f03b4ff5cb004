import { expect, it } from 'vitest';
import { ByteWriter } from '../../src/bytes/byte-writer.ts';
import { encodeEntity } from '../../src/checkpoint/entity-codec.ts';
import { encodeGlobals } from '../../src/checkpoint/globals-codec.ts';
import { evict, residentCount } from '../../src/checkpoint/checkpoint.ts';
import type { EngineState } from '../../src/state.ts';
import { keysOf, step } from '../../src/step.ts';
import { keyOf } from '../../src/store/entity-key.ts';
import { prng } from '../prng.ts';
import { historyOf } from './history.ts';
import { HostTwin } from './host-twin.ts';

/** Every byte of a state. */
function bytesOf(state: EngineState): readonly string[] {
  const writer = new ByteWriter();
  const { clients, directories, groups } = state.store;
  const entities = [clients, directories, ...groups].flatMap((map) => [...map.values()]);
  const encoded = entities.flatMap((entity) =>
    entity === null ? [] : [`${keyOf(entity)} ${encodeEntity(writer, entity).join()}`],
  );
  return [encodeGlobals(writer, state).join(), ...encoded.toSorted()];
}

it('a question changes nothing, and keys that are fetched before leave no question open', () => {
  const { records } = historyOf(prng(7), 150);
  const host = new HostTwin();
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

it('what has changed is not evicted before it is stored', () => {
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
