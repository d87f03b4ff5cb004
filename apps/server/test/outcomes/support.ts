import { randomUUID } from 'node:crypto';
import { dayMs, type EpochMs, parseJson } from '@ringfence/contract';
import { acceptOutcome, type AcceptDeps, type NewOutcome } from '../../src/outcomes/accept-outcome.ts';
import type { MatchDeps } from '../../src/outcomes/match-outcomes.ts';
import { OutcomeMatcher } from '../../src/outcomes/outcome-matcher.ts';
import { listOutcomes, type StoredOutcome } from '../../src/outcomes/outcome-rows.ts';
import { readReport, type ReportPayload } from '../../src/records/report-record.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { makeScene, type Scene } from '../decide/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

/** A scene with reports of outcomes, and matchers that run on demand, all by one clock. */
export interface OutcomeKit extends Scene {
  readonly home: Installation;
  readonly errors: unknown[];
  now(): EpochMs;
  pass(ms: number): void;
  /** Sends a payment, and returns the id of its event. */
  pay(client: string, reference?: string): Promise<string>;
  /** Accepts a report, and returns its id. */
  report(body: object, with_?: Partial<NewOutcome>, to?: Workspace): Promise<string>;
  /** A matcher of its own, as in another process; it shares nothing but the database. */
  matcher(change?: Partial<MatchDeps>): OutcomeMatcher;
  outcome(id: string): Promise<StoredOutcome>;
  /** The `report` records in the log, oldest first. */
  reports(): Promise<readonly ReportPayload[]>;
  acceptDeps(): AcceptDeps;
}

const batchMax = 10_000;

export async function outcomeKit(): Promise<OutcomeKit> {
  const home = await makeInstallation();
  let nowMs = Date.now();
  const now = (): EpochMs => nowMs as EpochMs;
  const scene = await makeScene(home, { now });
  const { pool, log, subjects, workspace } = scene;
  const errors: unknown[] = [];
  await scene.startHost().ready;
  const acceptDeps = (): AcceptDeps => ({ pool, log, subjects, now });
  return {
    ...scene,
    home,
    errors,
    now,
    pass: (ms) => void (nowMs += ms),
    acceptDeps,
    pay: (client, reference = randomUUID()) =>
      scene.send('operation', {
        channelId: 1,
        timestamp: new Date(nowMs).toISOString(),
        account: { client },
        order: { amount: 10, currency: 'MXN' },
        transaction: { reference },
      }),
    report: async (body, given = {}, to = workspace) => {
      const json = parseJson(JSON.stringify({ channelId: 1, ...body }));
      if (!json.ok) throw new Error(json.error.detail);
      const wanted = { body: json, author: 'token:test', isByKey: false, ...given };
      return (await acceptOutcome(acceptDeps(), to, wanted)).id;
    },
    matcher: (change = {}) =>
      new OutcomeMatcher({
        pool: home.anotherPool(),
        log,
        subjects,
        now,
        onError: (error) => void errors.push(error),
        workspaces: () => [workspace],
        notifications: home.anotherListener(),
        ...change,
      }),
    outcome: async (id) => {
      const found = await listOutcomes({ pool, subjects }, workspace, { limit: batchMax });
      return found.find((one) => one.id === id)!;
    },
    reports: async () => {
      const { start } = await log.head(workspace.id);
      const records = await log.read(workspace.id, start, batchMax);
      return records.filter(({ kind }) => kind === 'report').map(readReport);
    },
    close: async () => {
      await scene.close();
      await home.close();
    },
  };
}

export { dayMs };
