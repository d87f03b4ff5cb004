import { assert, ByteReader, type ByteWriter } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import { FeatureTable } from '../../features/store/feature-table.ts';
import { planOf } from '../../plan/plan.ts';
import type { EngineSettings, EventRecord } from '../../record.ts';
import { EngineState, type StateOptions } from '../../state.ts';
import type { WaitingOperation } from '../../waiting/waiting-queue.ts';
import { readActionTimes, writeActionTimes } from './action-times-codec.ts';
import { requireVersion } from './entity-codec.ts';
import { readLists, readSuppressions, writeLists, writeSuppressions } from './lists-codec.ts';
import { readEpoch, readHolds, writeEpoch, writeHolds } from './holds-codec.ts';
import { readBrowsers, writeBrowsers } from './browsers-codec.ts';
import { readEverybody, writeEverybody } from './habits-codec.ts';
import { readTraitStatistics, writeTraitStatistics } from './familiar-codec.ts';
import { readTokens, writeTokens } from './token-codec.ts';

/** The highest version at the start of the globals: with everybody's logins. Without them it is the one before. */
export const globalsVersion = 9;
const withoutLogins = 8;
/** The version before holds; no release wrote an earlier one. */
const withoutHolds = 7;

/** Contents of a checkpoint's globals that can be read without restoring it. */
export interface GlobalsHead {
  /** Offset of the last record in it; -1 for none. */
  readonly offset: number;
  /** Version of the policy in force, 0 for none; `restoreState` needs that policy. */
  readonly policyVersion: number;
}

/** Everything except entities: settings, features and their layouts, waiting operations, and so on. */
export function encodeGlobals(writer: ByteWriter, state: EngineState): Uint8Array {
  const hasLogins = state.everybody.logins > 0;
  writer.uint(hasLogins ? globalsVersion : withoutLogins);
  writer.int(state.offset);
  writer.uint(state.plan.version);
  writer.int(state.logTimeMs);
  writer.text(state.engineVersion);
  writer.text(JSON.stringify(sorted(state.settings)));
  state.features.write(writer);
  writer.uint(state.waiting.operations.length);
  for (const operation of state.waiting.operations) writeWaiting(writer, operation);
  writeActionTimes(writer, state.actionTimes);
  state.anonymous.write(writer);
  writeTokens(writer, state.tokens);
  writeLists(writer, state.lists);
  writeSuppressions(writer, state.suppressions);
  writeTraitStatistics(writer, state.traits);
  writeBrowsers(writer, state.browsers);
  writeHolds(writer, state.holds);
  writeEpoch(writer, state.epoch);
  if (hasLogins) writeEverybody(writer, state.everybody);
  return writer.take();
}

export function readHead(globals: Uint8Array): GlobalsHead {
  const { offset, policyVersion } = readHeadFrom(new ByteReader(globals));
  return { offset, policyVersion };
}

function readHeadFrom(reader: ByteReader): GlobalsHead & { readonly version: number } {
  const version = reader.uint();
  requireVersion(version, globalsVersion, withoutHolds);
  return { version, offset: reader.int(), policyVersion: reader.uint() };
}

export function decodeGlobals(globals: Uint8Array, policy: Policy | undefined, options: StateOptions): EngineState {
  const reader = new ByteReader(globals);
  const { offset, policyVersion, version } = readHeadFrom(reader);
  const state = new EngineState(options);
  state.offset = offset;
  state.logTimeMs = reader.int();
  state.engineVersion = reader.text();
  state.settings = JSON.parse(reader.text()) as EngineSettings;
  state.features = FeatureTable.read(reader, options.bounds);
  assert(
    (policyVersion === 0) === (policy === undefined),
    'a state must be restored with the policy that was in force',
  );
  if (policy !== undefined) {
    // The policy may be a replacement for one that this release refuses; its new features begin here.
    state.features.activate(policy.features, state.logTimeMs);
    state.policy = policy;
    state.plan = planOf(policyVersion, policy, state);
  }
  const waiting = reader.uint();
  for (let count = 0; count < waiting; count++) state.waiting.add(readWaiting(reader));
  readActionTimes(reader, state);
  state.anonymous.read(reader);
  readTokens(reader, state.tokens);
  readLists(reader, state.lists);
  readSuppressions(reader, state.suppressions);
  readTraitStatistics(reader, state.traits);
  readBrowsers(reader, state.browsers);
  if (version !== withoutHolds) {
    readHolds(reader, state.holds);
    state.epoch = readEpoch(reader);
  }
  if (version > withoutLogins) readEverybody(reader, state.everybody);
  assert(reader.done, 'a snapshot has bytes after its last value');
  return state;
}

function writeWaiting(writer: ByteWriter, { arrival, subject, dueMs }: WaitingOperation): void {
  const { record } = arrival;
  writer.uint(record.offset);
  writer.int(record.logTimeMs);
  writer.text(subject);
  writer.int(dueMs);
  writer.int(arrival.atMs);
  writer.bool(arrival.timeStated);
  writer.uint(arrival.repeats);
  writer.text(record.bodyHash);
  writer.text(JSON.stringify(record.event));
  writer.text(JSON.stringify(record.enrichment));
}

function readWaiting(reader: ByteReader): WaitingOperation {
  const offset = reader.uint();
  const logTimeMs = reader.int() as EventRecord['logTimeMs'];
  const subject = reader.text();
  const dueMs = reader.int();
  const timing = { atMs: reader.int(), timeStated: reader.bool(), repeats: reader.uint() };
  const bodyHash = reader.text();
  const event = JSON.parse(reader.text()) as EventRecord['event'];
  const enrichment = JSON.parse(reader.text()) as EventRecord['enrichment'];
  const record: EventRecord = {
    kind: 'event',
    offset,
    logTimeMs,
    event,
    enrichment,
    subject,
    bodyHash,
    retryOf: undefined,
  };
  return { arrival: { record, ...timing }, subject, dueMs };
}

/** With sorted members, so that equal settings give equal bytes. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
