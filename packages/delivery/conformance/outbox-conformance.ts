import { describe } from 'vitest';
import { completing, sameProcessTwice } from './outbox/completing.ts';
import { endpoints } from './outbox/endpoints.ts';
import { executedLate } from './outbox/executed-late.ts';
import { expiry } from './outbox/expiry.ts';
import { inserting } from './outbox/inserting.ts';
import { leasing } from './outbox/leasing.ts';
import type { OutboxHarness } from './outbox/outbox-harness.ts';
import { outcomes } from './outbox/outcomes.ts';
import { removing } from './outbox/removing.ts';
import { sessionOrder } from './outbox/session-order.ts';

/** Tests the guarantees of `Outbox`. Call once per implementation, from its own test file. */
export function outboxConformance(name: string, harness: OutboxHarness): void {
  describe(`Outbox: ${name}`, () => {
    describe('inserting', () => {
      inserting(harness);
    });
    describe('leasing', () => {
      leasing(harness);
    });
    describe('order within a session', () => {
      sessionOrder(harness);
    });
    describe('completing', () => {
      completing(harness);
      sameProcessTwice(harness);
    });
    describe('an action that the client executed under a lost lease', () => {
      executedLate(harness);
    });
    describe('the endpoint', () => {
      endpoints(harness);
    });
    describe('expiry', () => {
      expiry(harness);
    });
    describe('outcomes', () => {
      outcomes(harness);
    });
    describe('removing', () => {
      removing(harness);
    });
  });
}
