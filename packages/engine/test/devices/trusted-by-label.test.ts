/** What a label says about the device of its event. */
import { minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { checkpointOf, restoreState, supply } from '../../src/store/checkpoint/checkpoint.ts';
import type { EventRecord } from '../../src/record.ts';
import { newState } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { LogBuilder, run, showing, shownBy } from '../log-builder.ts';
import { tokenFacts, traitsOf } from './device-makers.ts';

const policy = showing('device.trusted');

class Labelled {
  readonly log = new LogBuilder();
  #nonce = 0;

  constructor() {
    this.log.settings({ sessionGraceMs: 0 });
    this.log.policy(policy);
  }

  login(id: string, { user = 'ana', key = 'k' } = {}): number {
    this.#nonce++;
    const facts = tokenFacts({ nonce: `n${this.#nonce}`, id, key, components: traitsOf(id) });
    return this.log.wait(minuteMs).login(user, { facts });
  }

  label(offset: number, label: 'fraud' | 'legitimate'): this {
    this.log.append({ kind: 'label', label, event: this.log.records[offset] as EventRecord });
    return this;
  }

  trusted(offset: number): string | undefined {
    return shownBy(run(this.log.records).decisions.get(offset))['device.trusted'];
  }
}

describe('a device', () => {
  it('is trusted once a login from it was legitimate, and no longer after fraud', () => {
    const logins = new Labelled();
    const first = logins.login('A');
    const other = logins.label(first, 'legitimate').login('B');
    const trusted = logins.login('A');
    const operation = logins.log.operation('ana');
    const after = logins.label(trusted, 'fraud').login('A');
    const again = logins.label(after, 'legitimate').login('A');
    const shown = [first, other, trusted, operation, after, again].map((offset) => logins.trusted(offset));
    expect(shown).toEqual(['false', 'false', 'true', 'true', 'false', 'true']);
  });

  it('is judged by an operation of its session', () => {
    const logins = new Labelled();
    logins.login('A');
    const operation = logins.log.operation('ana');
    const trusted = logins.label(operation, 'legitimate').login('A');
    const paid = logins.log.operation('ana');
    const after = logins.label(paid, 'fraud').login('A');
    expect([trusted, after].map((offset) => logins.trusted(offset))).toEqual(['true', 'false']);
  });

  it('is not judged by an operation of an earlier session with the same name', () => {
    const logins = new Labelled();
    logins.login('A');
    const operation = logins.log.operation('ana');
    logins.log.logout('ana');
    logins.login('B');
    const other = logins.label(operation, 'legitimate').login('B');
    expect(logins.trusted(other)).toBe('false');
  });

  it('is not judged by an operation before its login into a session that was already open', () => {
    const logins = new Labelled();
    logins.login('A');
    const operation = logins.log.operation('ana');
    logins.login('B');
    const later = logins.log.operation('ana');
    const before = logins.label(operation, 'legitimate').login('B');
    const after = logins.label(later, 'legitimate').login('B');
    expect([before, after].map((offset) => logins.trusted(offset))).toEqual(['false', 'false']);
    const last = logins.log.operation('ana');
    expect(logins.trusted(logins.label(last, 'legitimate').login('B'))).toBe('true');
  });

  it('is not judged by a login with a replayed token', () => {
    const logins = new Labelled();
    const facts = tokenFacts({ nonce: 'once', id: 'A', key: 'k', components: traitsOf('A') });
    logins.log.login('ana', { session: 's', facts });
    const replayed = logins.log.wait(minuteMs).login('ana', { session: 't', facts });
    expect(logins.trusted(logins.label(replayed, 'legitimate').login('A'))).toBe('false');
  });

  it('is trusted for its client only, with its own key', () => {
    const logins = new Labelled();
    const login = logins.login('A');
    const copied = logins.label(login, 'legitimate').login('A', { key: 'another' });
    const others = logins.login('A', { user: 'bob' });
    expect([copied, others].map((offset) => logins.trusted(offset))).toEqual(['false', 'false']);
  });

  it('is loaded if the client of the label is not in memory', () => {
    const logins = new Labelled();
    const login = logins.login('A');
    const { globals, entities } = checkpointOf(run(logins.log.records).state);
    const state = restoreState(globals, policy, { complete: false });
    logins.label(login, 'legitimate');
    const label = logins.log.records.at(-1)!;
    expect(step(state, label)).toEqual({ kind: 'need', keys: ['c/subject of ana'] });
    supply(state, entities);
    expect(step(state, label).kind).toBe('done');
    expect(state.store.client('subject of ana')?.devices[0]?.trustedAtMs).toBe(label.logTimeMs);
  });
});

it('a label changes nothing for events without a device, and for erased clients', () => {
  const logins = new Labelled();
  const plain = logins.log.login('ana');
  logins.label(plain, 'legitimate');
  const gone = logins.login('A', { user: 'bob' });
  logins.log.append({ kind: 'erase', subject: 'subject of bob' });
  logins.label(gone, 'legitimate');
  expect(() => run(logins.log.records, newState({ complete: true }))).not.toThrow();
});
