import { InvariantError, NewerFormError } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../../src/store/checkpoint/checkpoint.ts';
import { readHead } from '../../../src/store/checkpoint/globals-codec.ts';
import { engineVersion } from '../../../src/engine-version.ts';
import { newState } from '../../../src/state.ts';
import { step } from '../../../src/step.ts';
import { LogBuilder, policyOf, run, showing } from '../../log-builder.ts';
import { bankDay } from '../../golden/bank-day.ts';
import { prng } from '../../prng.ts';
import { bytesOf } from '../../state-bytes.ts';
import { bounds } from '../../simulation/bounds.ts';
import { historyOf } from '../../simulation/history.ts';
import { policies } from '../../simulation/policies.ts';

describe('a checkpoint', () => {
  it('has the same bytes for the same state, and restores it', () => {
    const { records } = historyOf(prng(3), 400);
    const state = newState({ complete: true, bounds });
    for (const record of records) step(state, record);
    const before = bytesOf(state);
    const { entities, globals } = checkpointOf(state);
    const policy = policies.find((one) => one === state.policy)!;
    const restored = restoreState(globals, policy, { complete: false, bounds });
    supply(restored, entities);
    expect(bytesOf(restored)).toEqual(before);
  });

  it('names what is needed to restore it', () => {
    const log = new LogBuilder();
    log.settings();
    const { state } = run(log.records);
    expect(readHead(checkpointOf(state).globals)).toEqual({ offset: 0, policyVersion: 0 });
    log.policy(showing('client.id'), 7);
    const { globals, offset, engineVersion: version } = checkpointOf(run(log.records).state);
    expect(readHead(globals)).toEqual({ offset: 1, policyVersion: 7 });
    expect([offset, version]).toEqual([1, engineVersion]);
  });

  it('contains only what changed since the last one', () => {
    const log = new LogBuilder();
    log.settings();
    log.login('ana', { session: 's1' });
    const { state } = run(log.records);
    expect(checkpointOf(state).entities.map(({ key }) => key)).toEqual(['c/subject of ana', 's/s1']);
    const before = log.records.length;
    log.operation('bob', { session: 's1' });
    run(log.records.slice(before), state);
    expect(checkpointOf(state).entities.map(({ key }) => key)).toEqual(['c/subject of bob']);
    expect(checkpointOf(state).entities).toEqual([]);
  });

  it('names the client of every entity whose key contains it, so that an erasure finds it', () => {
    const log = new LogBuilder();
    bankDay(log);
    const { entities } = checkpointOf(run(log.records).state);
    const told = entities.filter(({ key }) => !key.startsWith('s/')).map(({ key, subject }) => [key, subject]);
    expect(told).toEqual(told.map(([key]) => [key, /subject of [a-z]+/.exec(key!)?.[0]]));
    expect(told.filter(([, subject]) => subject !== undefined).length).toBeGreaterThan(5);
  });

  it('keeps the version that the engine record named', () => {
    const log = new LogBuilder();
    log.append({ kind: 'engine', version: 'another' });
    const { globals } = checkpointOf(run(log.records).state);
    expect(checkpointOf(restoreState(globals, undefined)).engineVersion).toBe('another');
  });
});

describe('bytes that are not a valid checkpoint', () => {
  const checkpoint = (): ReturnType<typeof checkpointOf> => {
    const log = new LogBuilder();
    log.settings();
    log.policy(policyOf('rules: []'));
    log.operation('ana', { session: 's1' });
    return checkpointOf(run(log.records).state);
  };

  it('are rejected, wherever they were truncated', () => {
    const { globals } = checkpoint();
    for (let length = 0; length < globals.length; length++) {
      expect(() => restoreState(globals.subarray(0, length), policyOf('rules: []'))).toThrow(InvariantError);
    }
    expect(() => restoreState(new Uint8Array([...globals, 0]), policyOf('rules: []'))).toThrow(InvariantError);
  });

  it.each([
    [99, NewerFormError, 'a snapshot of version 99 was found, and this release reads version 6'],
    [3, InvariantError, 'restore a backup of a release, or start with an empty database'],
    [0, InvariantError, 'a snapshot of version 0 was found, which no release wrote'],
  ])('are refused if their version is %i, with the reason', (version, error, reason) => {
    const { globals, entities } = checkpoint();
    const other = (bytes: Uint8Array): Uint8Array => new Uint8Array([version, ...bytes.subarray(1)]);
    expect(() => restoreState(other(globals), policyOf('rules: []'))).toThrow(error);
    expect(() => readHead(other(globals))).toThrow(error);
    const { key, bytes } = entities[0]!;
    const state = restoreState(globals, policyOf('rules: []'));
    expect(() => supply(state, [{ key, bytes: other(bytes!) }])).toThrow(reason);
  });

  it('are rejected without the policy that was in force', () => {
    expect(() => restoreState(checkpoint().globals, undefined)).toThrow('the policy that was in force');
  });
});

describe('a record', () => {
  it('is rejected out of order', () => {
    const log = new LogBuilder();
    log.settings();
    log.wait(1_000).tick();
    const { state } = run(log.records);
    expect(() => step(state, log.records[0]!)).toThrow('in order');
    expect(() => step(state, { ...log.records[0]!, offset: 9 })).toThrow('log time must not decrease');
  });

  it('may be skipped', () => {
    const log = new LogBuilder();
    log.settings();
    log.login('ana');
    log.login('bob');
    expect(run([log.records[0]!, log.records[2]!]).decisions.size).toBe(1);
  });
});
