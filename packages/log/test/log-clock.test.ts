import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogClock } from '../src/log-clock.ts';

/** A machine whose clock is set by hand. */
class Machine {
  #nowMs = Date.UTC(2026, 10, 26);
  #upMs = 7_000;
  #asleepMs = 500;
  readonly startMs = this.#nowMs;
  readonly clock = new LogClock({
    machineMs: () => this.#nowMs,
    monotonicMs: () => this.#upMs,
    bootMs: () => this.#upMs + this.#asleepMs,
  });

  wait(ms: number): this {
    this.#nowMs += ms;
    this.#upMs += ms;
    return this;
  }

  set(byMs: number): this {
    this.#nowMs += byMs;
    return this;
  }

  sleep(ms: number): this {
    this.#nowMs += ms;
    this.#asleepMs += ms;
    return this;
  }

  /** The log's clock, since the start. */
  get sinceMs(): number {
    return this.clock.read() - this.startMs;
  }
}

describe('the clock of the log', () => {
  it('is the machine’s clock at first', () => {
    const machine = new Machine();
    expect([machine.sinceMs, machine.wait(5).sinceMs, machine.wait(hourMs).sinceMs]).toEqual([0, 5, hourMs + 5]);
    expect(machine.clock.machineAheadMs).toBe(0);
  });

  it('runs a tenth slower when the machine’s clock is set back, until both agree', () => {
    const machine = new Machine().wait(minuteMs);
    expect(machine.sinceMs).toBe(minuteMs);
    machine.set(-3 * hourMs).wait(10 * secondMs);
    expect(machine.sinceMs).toBe(minuteMs + 9 * secondMs);
    expect(machine.clock.machineAheadMs).toBe(secondMs - 3 * hourMs);
    expect(machine.wait(29 * hourMs).clock.machineAheadMs).toBeLessThan(0);
    expect(machine.wait(hourMs).clock.machineAheadMs).toBe(0);
  });

  it('runs a tenth faster when the machine’s clock is set forward, until both agree', () => {
    const machine = new Machine().set(hourMs).wait(10 * secondMs);
    expect(machine.sinceMs).toBe(11 * secondMs);
    machine.clock.wake();
    expect(machine.clock.machineAheadMs).toBe(hourMs - secondMs);
    expect(machine.wait(10 * hourMs).clock.machineAheadMs).toBe(0);
  });

  it('follows immediately when the machine has slept', () => {
    const machine = new Machine().wait(minuteMs).sleep(hourMs);
    machine.clock.wake();
    expect(machine.sinceMs).toBe(minuteMs + hourMs);
    machine.set(hourMs).sleep(2 * minuteMs);
    machine.clock.wake();
    expect(machine.sinceMs).toBe(3 * minuteMs + hourMs);
    machine.clock.wake();
    expect(machine.sinceMs).toBe(3 * minuteMs + hourMs);
  });

  it('is not behind what another clock stamped', () => {
    const machine = new Machine();
    machine.clock.atLeast(machine.startMs + hourMs);
    expect(machine.sinceMs).toBe(hourMs);
    expect(machine.wait(10 * secondMs).sinceMs).toBe(hourMs + 9 * secondMs);
    machine.clock.atLeast(machine.startMs);
    expect(machine.sinceMs).toBe(hourMs + 9 * secondMs);
  });

  it('never deviates from the pace of real time by more than a tenth, whatever the machine’s clock does', () => {
    const step = fc.record({ waitMs: fc.integer({ min: 0, max: 60_000 }), setMs: fc.integer({ min: -1e9, max: 1e9 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const machine = new Machine();
        for (const { waitMs, setMs } of steps) {
          const before = machine.clock.read();
          const goneMs = machine.set(setMs).wait(waitMs).clock.read() - before;
          expect(Math.abs(goneMs - waitMs)).toBeLessThanOrEqual(0.1 * waitMs + 1);
        }
      }),
      { seed: 12, numRuns: 500 },
    );
  });
});
