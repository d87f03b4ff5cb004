/** The score of each event: reported by the worker when asked, written to a file that is complete or absent. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecimalText, EpochMs } from '@ringfence/contract';
import { type Decision, defaultSettings, type EngineRecord, type Label } from '@ringfence/engine';
import { loadPolicy } from '@ringfence/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BacktestWorker } from '../../../src/backtest/backtests/backtest-worker.ts';
import { EventFile } from '../../../src/backtest/event-file.ts';
import {
  packScored,
  scoreColumns,
  scoreLines,
  type ScoredEvent,
  unpackScored,
  type ScoreChoice,
} from '../../../src/backtest/backtests/scored-event.ts';
import { HistoryReader, HistoryWriter } from '../../../src/history/history-bytes.ts';
import { packRecord } from '../../../src/history/record-codec.ts';

const beginMs = 1_700_000_000_000;

const loaded = loadPolicy([
  {
    path: 'rules.yaml',
    text: `rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 100, score: 30, then: { action: 4, message: x } }
  - { reason: 2, name: huge, on: [operation], when: order.amount > 200, score: 25, then: { action: 4, message: x } }
  - { reason: 3, name: any, on: [operation], when: order.amount > 0, score: 7, then: { action: 4, message: x }, mode: shadow }
`,
  },
]);

/** An operation in this second; the waiting ones name a session for which no login comes. */
function operation(second: number, amount: string, isWaiting = false): Extract<EngineRecord, { kind: 'event' }> {
  return {
    kind: 'event',
    offset: second,
    logTimeMs: (beginMs + second * 1_000) as EpochMs,
    event: {
      kind: 'operation',
      channelId: 1,
      account: { client: 'ana', ...(isWaiting ? { session: 's' } : {}) },
      order: { amount: amount as DecimalText, currency: 'MXN' },
    },
    enrichment: { facts: {}, statedAtMs: (beginMs + second * 1_000 - 250) as EpochMs },
    subject: 'a1b2',
    bodyHash: `body ${second}`,
    retryOf: undefined,
  };
}

interface Scoring {
  readonly scores: ScoreChoice | undefined;
  readonly fromMs?: number;
}

function scoresOf({ scores, fromMs = 0 }: Scoring): readonly ScoredEvent[] {
  if (!loaded.ok) throw new Error('the policy checks');
  const options = { policy: loaded.policy, version: 1, fromMs, toMs: Infinity, isChained: false, scores };
  const lane = new BacktestWorker(options);
  const start = { offset: 0, logTimeMs: beginMs as EpochMs, labelsAtOnce: true };
  const sessionDefaults = { ...defaultSettings.sessionDefaults, sessions: 'optional' } as const;
  const settings = { ...defaultSettings, sessionDefaults, sessionGraceMs: 60_000 };
  lane.begin({ ...start, settings });
  const writer = new HistoryWriter();
  const add = (record: Extract<EngineRecord, { kind: 'event' }>, label?: Label): void =>
    packRecord(writer, record, label);
  add(operation(0, '50'), 'legitimate');
  add(operation(1, '150', true), 'fraud');
  add(operation(2, '250'));
  add({ ...operation(3, '250'), bodyHash: 'body 2', retryOf: 2 });
  packRecord(
    writer,
    { kind: 'unreadable', offset: 4, logTimeMs: (beginMs + 4_000) as EpochMs, subject: 'gone', event: 'operation' },
    undefined,
  );
  packRecord(writer, { kind: 'tick', offset: 5, logTimeMs: (beginMs + 3_600_000) as EpochMs }, undefined);
  return unpackAll(lane.take(writer.take()).scores);
}

function unpackAll(bytes: Uint8Array): readonly ScoredEvent[] {
  const reader = new HistoryReader(bytes);
  const events: ScoredEvent[] = [];
  while (!reader.done) events.push(unpackScored(reader));
  return events;
}

describe('a backtest worker', () => {
  const common = { subject: 'a1b2' };

  it('reports each decided event with the score of its live rules, in the order of the decisions', () => {
    expect(scoresOf({ scores: 'rules' })).toEqual([
      { ...common, offset: 0, eventAtMs: beginMs - 250, label: 'legitimate', score: 0 },
      { ...common, offset: 2, eventAtMs: beginMs + 1_750, label: undefined, score: 55 },
      { ...common, offset: 1, eventAtMs: beginMs + 750, label: 'fraud', score: 30 },
    ]);
  });

  it('reports only what is in the requested period', () => {
    const scores = scoresOf({ scores: 'rules', fromMs: beginMs + 2_000 });
    expect(scores.map(({ offset }) => offset)).toEqual([2]);
  });

  it('reports none unless asked', () => {
    expect(scoresOf({ scores: undefined })).toEqual([]);
  });
});

describe('the file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringfence-scores-'));
    path = join(folder, 'scores.csv');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function packed(...events: readonly Partial<Decision & { label: Label }>[]): Uint8Array {
    const writer = new HistoryWriter();
    for (const { label, score = 0, ...event } of events) {
      packScored(writer, { offset: 0, subject: 'a1b2', eventAtMs: beginMs, ...event } as Decision, { label, score });
    }
    return writer.take();
  }

  it('has a line for each event, and names its own SHA-256', () => {
    const file = new EventFile(path, scoreColumns);
    file.add(
      scoreLines(
        packed({ offset: 7, score: 12, label: 'fraud' }, { offset: 8, subject: undefined, label: 'legitimate' }),
      ),
    );
    file.add(scoreLines(packed({ offset: 2 ** 40, eventAtMs: -1 as EpochMs, score: 0.1 + 0.2 })));
    const { lines, sha256 } = file.finish();
    const text = readFileSync(path, 'utf8');
    expect(text).toBe(`offset,client,at,label,score
7,a1b2,2023-11-14T22:13:20.000Z,fraud,12
8,,2023-11-14T22:13:20.000Z,legitimate,0
1099511627776,a1b2,1969-12-31T23:59:59.999Z,,0.30000000000000004
`);
    expect({ lines, sha256 }).toEqual({ lines: 3, sha256: createHash('sha256').update(text).digest('hex') });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['scores.csv']);
  });

  it('has an empty cell for a missing score', () => {
    const file = new EventFile(path, scoreColumns);
    file.add(scoreLines(packed({ score: Number.NaN })));
    file.finish();
    expect(readFileSync(path, 'utf8')).toMatch(/^offset,.*\n0,a1b2,.*,,\n$/);
  });

  it('without any event has its names only', () => {
    new EventFile(path, scoreColumns).finish();
    expect(readFileSync(path, 'utf8')).toBe('offset,client,at,label,score\n');
  });

  it('replaces an older file only when it is complete, whatever a killed process left', () => {
    writeFileSync(path, 'older');
    writeFileSync(`${path}.partial`, 'left by a killed process');
    chmodSync(`${path}.partial`, 0o644);
    const file = new EventFile(path, scoreColumns);
    file.add(scoreLines(packed({})));
    expect(readFileSync(path, 'utf8')).toBe('older');
    file.finish();
    expect(readFileSync(path, 'utf8')).toMatch(/^offset,.*\n0,a1b2,.*\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing when it is discarded, and keeps the older file', () => {
    writeFileSync(path, 'older');
    const file = new EventFile(path, scoreColumns);
    file.add(scoreLines(packed({})));
    file.discard();
    expect(readdirSync(folder)).toEqual(['scores.csv']);
    expect(readFileSync(path, 'utf8')).toBe('older');
  });

  it('leaves nothing where it could not get its name', () => {
    const file = new EventFile(path, scoreColumns);
    file.add(scoreLines(packed({})));
    mkdirSync(path);
    expect(() => file.finish()).toThrow('EISDIR');
    file.discard();
    expect(readdirSync(folder)).toEqual(['scores.csv']);
  });

  it('discarded before its first event, leaves the draft of another backtest', () => {
    const running = new EventFile(path, scoreColumns);
    running.add(scoreLines(packed({})));
    new EventFile(path, scoreColumns).discard();
    running.finish();
    expect(existsSync(path)).toBe(true);
  });

  it('is refused before the backtest where it cannot be written', () => {
    expect(() => new EventFile(join(folder, 'missing', 'scores.csv'), scoreColumns)).toThrow('there is no such folder');
    expect(() => new EventFile(folder, scoreColumns)).toThrow('it is a folder');
  });

  it('reports a write that fails later', () => {
    const file = new EventFile(path, scoreColumns);
    rmSync(folder, { recursive: true });
    expect(() => file.add(scoreLines(packed({})))).toThrow(`${path} cannot be written: there is no such folder.`);
  });
});
