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

/** The promises of `Outbox`. Call once per implementation, from that implementation's test. */
export function outboxConformance(name: string, harness: OutboxHarness): void {
  describe(`Outbox: ${name}`, () => {
    describe('inserting', () => {
      inserting(harness);
    });
    describe('leasing', () => {
      leasing(harness);
    });
    describe('the order of a session', () => {
      sessionOrder(harness);
    });
    describe('completing', () => {
      completing(harness);
      sameProcessTwice(harness);
    });
    describe('what the client executed under a lease that was lost', () => {
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
