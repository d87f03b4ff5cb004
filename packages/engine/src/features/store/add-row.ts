import type { FactValue } from '@ringfence/policy';
import { lateReachMs } from '../../limits.ts';
import type { PlannedUpdate } from '../../plan/planned-group.ts';
import type { EventInputs } from '../event-inputs.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { forget } from './forget-row.ts';
import type { LayoutFeature } from './layout.ts';
import { samplingOf } from '../read-feature.ts';
import { isSampled } from '../window/sampling.ts';
import { Profiles } from '../window/profile.ts';
import { sweep } from './sweep.ts';
import { doubleOfDecimal, ticksOf, wideOf } from '../window/ticks.ts';
import { leaveRows, rowInserted } from '../window/windows.ts';

/**
 * Values that a bit mask marks as filled in, so that features of a row share them; higher ones are written repeatedly.
 */
const valuesFilledOnce = 31;

/** Adds an event to the features that it counts for. `logTimeMs` is the log time of the decision. */
export function addRow(
  entity: FeatureEntity,
  event: { readonly atMs: number; readonly logTimeMs: number },
  inputs: EventInputs,
): void {
  prune(entity, event.logTimeMs);
  sweep(entity, event.logTimeMs);
  const { currency: currencies } = entity.group.scratch;
  currencies.forget();
  let row = -1;
  let filled = 0;
  let word = 0;
  let bits = 0;
  for (let place = 0; place < inputs.count; place++) {
    const update = inputs.update(place);
    const { kept, value, currency } = update;
    if (kept.scalar >= 0) noteTime(entity, kept, event.atMs);
    if (kept.kind === 'profile') addToProfile(entity, { update, inputs }, event.atMs);
    if (!update.hasRow) continue;
    if (row < 0) row = entity.insertRow(event.atMs);
    if (kept.kind === 'distinct' && !isSampled(inputs.value(value) as string, samplingOf(entity, kept))) continue;
    if (kept.column >= 0 && (filled & bitOf(value)) === 0) {
      fill(entity, { row, column: kept.column, value: inputs.value(value) });
      filled |= bitOf(value);
    }
    if (kept.currency >= 0 && (filled & bitOf(currency)) === 0) {
      entity.setValue(row, kept.currency, currencies.findOrAdd(entity, inputs.value(currency) as string));
      filled |= bitOf(currency);
    }
    if (kept.word !== word) {
      entity.addMask(row, word, bits);
      word = kept.word;
      bits = 0;
    }
    bits |= kept.bit;
  }
  if (row < 0) return;
  entity.addMask(row, word, bits);
  rowInserted(entity, row);
}

function bitOf(value: number): number {
  return value < valuesFilledOnce ? 1 << value : 0;
}

/** Drops rows at the front that are too old for every feature. An entity without rows that has expired is reset. */
function prune(entity: FeatureEntity, logTimeMs: number): void {
  if (logTimeMs < entity.pruneAtMs) return;
  const keptMs = logTimeMs - lateReachMs - entity.layout.reachMs;
  while (entity.rows > 0 && entity.atMs(entity.head) <= keptMs) {
    forget(entity, entity.head);
    entity.head++;
  }
  if (entity.rows === 0 && (entity.expiresAtMs ?? Infinity) <= logTimeMs) {
    entity.reset();
    return;
  }
  entity.noteHead();
  leaveRows(entity, entity.head);
}

function noteTime(entity: FeatureEntity, { kind, scalar }: LayoutFeature, atMs: number): void {
  const known = entity.scalar(scalar);
  // A comparison with NaN (no time so far) is always false.
  if (kind === 'firstSeen') entity.setScalar(scalar, known < atMs ? known : atMs);
  if (kind === 'lastSeen') entity.setScalar(scalar, known > atMs ? known : atMs);
}

function addToProfile(
  entity: FeatureEntity,
  { update, inputs }: { readonly update: PlannedUpdate; readonly inputs: EventInputs },
  atMs: number,
): void {
  const { index, kept, value, currency } = update;
  let profiles = entity.profiles[index];
  if (profiles === undefined) {
    const made = (profiles = new Profiles(kept.halfLifeMs));
    entity.profiles = entity.layout.features.map((_, place) => (place === index ? made : entity.profiles[place]));
  }
  const number = numberIn(inputs.value(value));
  if (!Number.isFinite(number)) return;
  const of = currency < 0 ? -1 : entity.group.scratch.currency.findOrAdd(entity, inputs.value(currency) as string);
  profiles.add(of, atMs, number);
}

function numberIn(value: FactValue): number {
  return typeof value === 'bigint' ? doubleOfDecimal(value) : (value as number);
}

function fill(
  entity: FeatureEntity,
  { row, column, value }: { readonly row: number; readonly column: number; readonly value: FactValue },
): void {
  const kind = entity.layout.columns[column]!;
  if (kind === 'text') {
    entity.setValue(row, column, entity.numberOf(value as string));
    return;
  }
  let values = entity.wide[column];
  if (values === undefined) {
    const ticks = ticksOf(kind, value);
    const total = entity.total(column) - Math.abs(entity.value(row, column)) + Math.abs(ticks ?? Infinity);
    if (ticks !== undefined && total <= Number.MAX_SAFE_INTEGER) {
      entity.setValue(row, column, ticks);
      entity.setTotal(column, total);
      return;
    }
    values = entity.widen(column);
  }
  values[row] = wideOf(kind, value);
}
