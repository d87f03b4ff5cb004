import type { FactValue } from '@ringfence/policy';
import { lateReachMs } from '../limits.ts';
import type { Contribution, Contributions } from './contributions.ts';
import { forgetCurrency, numberOfCurrency } from './currency-number.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { hasRows, type LayoutFeature } from './layout.ts';
import { samplingOf } from './read-feature.ts';
import { isSampled } from './sampling.ts';
import { Profiles } from './profile.ts';
import { needsSweep, rememberLast, sweep } from './sweep.ts';
import { doubleOfDecimal, ticksOf, wideOf } from './ticks.ts';

/**
 * The row on its way in: which of its columns are filled already, a bit each, and a word of its mask with the bits that
 * are not written yet. One serves all rows.
 */
const filling = { row: -1, filled: 0, word: 0, bits: 0 };

/** Columns that `filling` has a bit for; those beyond are filled again by every feature, with the same value. */
const trackedColumnsMax = 31;

/** Puts an event into the features that it counts for. `logTimeMs` is when this is decided. */
export function addRow(
  entity: FeatureEntity,
  event: { readonly atMs: number; readonly logTimeMs: number },
  contributions: Contributions,
): void {
  prune(entity, event.logTimeMs);
  if (needsSweep(entity)) sweep(entity, event.logTimeMs);
  forgetCurrency();
  const { features } = entity.layout;
  filling.row = -1;
  filling.filled = 0;
  filling.bits = 0;
  for (let place = 0; place < contributions.length; place++) {
    const contribution = contributions.at(place);
    const feature = features[contribution.index]!;
    if (feature.scalar >= 0) noteTime(entity, feature, event.atMs);
    if (feature.kind === 'profile') addToProfile(entity, contribution, event.atMs);
    if (!hasRows(feature.kind)) continue;
    if (filling.row < 0) filling.row = entity.insertRow(event.atMs);
    fill(entity, contribution);
  }
  if (filling.row < 0) return;
  writeBits(entity);
  if (entity.cursors === undefined) return;
  for (const cursor of entity.cursors) cursor?.inserted(entity, filling.row);
}

/** Drops rows at the front that are too old for every feature; an entity without any left is as new. */
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
  entity.cursors?.forEach((cursor, index, cursors) => {
    if (cursor?.survives(entity.head) === false) cursors[index] = undefined;
  });
}

/** Takes a row out of the totals that is about to be dropped. */
function forget(entity: FeatureEntity, row: number): void {
  const { columns } = entity.layout;
  for (let column = 0; column < columns.length; column++) {
    if (columns[column] !== 'text') entity.setTotal(column, entity.total(column) - Math.abs(entity.value(row, column)));
  }
  rememberLast(entity, row);
}

function noteTime(entity: FeatureEntity, { kind, scalar }: LayoutFeature, atMs: number): void {
  const known = entity.scalar(scalar);
  // A comparison with NaN, for none, is never true.
  if (kind === 'firstSeen') entity.setScalar(scalar, known < atMs ? known : atMs);
  if (kind === 'lastSeen') entity.setScalar(scalar, known > atMs ? known : atMs);
}

function addToProfile(entity: FeatureEntity, { index, value, currency }: Contribution, atMs: number): void {
  let profiles = entity.profiles[index];
  if (profiles === undefined) {
    const { features } = entity.layout;
    const made = (profiles = new Profiles(features[index]!.halfLifeMs));
    entity.profiles = features.map((_, place) => (place === index ? made : entity.profiles[place]));
  }
  const number = typeof value === 'bigint' ? doubleOfDecimal(value) : (value as number);
  if (Number.isFinite(number))
    profiles.add(currency === undefined ? -1 : numberOfCurrency(entity, currency), atMs, number);
}

function fill(entity: FeatureEntity, contribution: Contribution): void {
  const { columns, features } = entity.layout;
  const { row } = filling;
  const feature = features[contribution.index]!;
  if (feature.kind === 'distinct' && !isSampled(contribution.value as string, samplingOf(entity, feature))) return;
  if (feature.column >= 0 && isUnfilled(feature.column)) {
    if (columns[feature.column] !== 'text') fillNumber(entity, feature.column, contribution.value);
    else entity.setValue(row, feature.column, entity.numberOf(contribution.value as string));
  }
  if (feature.currency >= 0 && isUnfilled(feature.currency)) {
    entity.setValue(row, feature.currency, numberOfCurrency(entity, contribution.currency!));
  }
  if (feature.word !== filling.word) {
    writeBits(entity);
    filling.word = feature.word;
  }
  filling.bits |= feature.bit;
}

/** Writes the bits of the mask that were collected. */
function writeBits(entity: FeatureEntity): void {
  const { row, word, bits } = filling;
  if (bits !== 0) entity.setMask(row, word, entity.mask(row, word) | bits);
  filling.bits = 0;
}

/** Whether the column still waits for its value; from now on it does not. */
function isUnfilled(column: number): boolean {
  if (column >= trackedColumnsMax) return true;
  const isFilled = (filling.filled & (1 << column)) !== 0;
  filling.filled |= 1 << column;
  return !isFilled;
}

function fillNumber(entity: FeatureEntity, column: number, value: FactValue): void {
  const kind = entity.layout.columns[column]!;
  const { row } = filling;
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
