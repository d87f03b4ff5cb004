import { ByteReader, ByteWriter, type Decimal } from '@ringfence/contract';
import { type FactType, type FactValue, type Feature, keptFor, typeOfFeature } from '@ringfence/policy';
import type { Extras } from '../../src/features/store/overflow.ts';
import { readFeatureEntity, readLayoutId, writeFeatureEntity } from '../../src/features/store/feature-codec.ts';
import { FeatureEntity } from '../../src/features/store/feature-entity.ts';
import { FeatureForm } from '../../src/features/store/feature-form.ts';
import { FeatureGroup } from '../../src/features/store/feature-group.ts';
import { FeatureTable } from '../../src/features/store/feature-table.ts';
import type { EntityBounds, Layout } from '../../src/features/store/layout.ts';
import { migrate } from '../../src/features/store/migrate.ts';
import { GroupRunner } from '../../src/features/group-runner.ts';
import { Scratch } from '../../src/features/window/scratch.ts';
import type { PlannedReads } from '../../src/features/window/window-scan.ts';
import { Arena } from '../../src/store/memory/arena.ts';
import { partCount } from '../../src/store/memory/key-table.ts';
import { KeyText } from '../../src/store/memory/key-text.ts';
import { type PlannedGroup, plannedGroup } from '../../src/plan/planned-group.ts';
import { InUse } from '../../src/store/entities/clock-cache.ts';

/** An event as features see it. `logTimeMs` never falls; `atMs` may be earlier, or a little later. */
export interface BenchEvent {
  readonly atMs: number;
  readonly logTimeMs: number;
  readonly amount: Decimal | undefined;
  readonly currency: string | undefined;
  readonly text: string | undefined;
  readonly int: number | undefined;
  readonly counts: boolean;
}

/** A feature as specified by a test; `of` names a member of the event. */
export interface BenchFeature {
  readonly kind: Feature['kind'];
  readonly of?: 'amount' | 'text' | 'int';
  readonly overMs?: number;
  readonly perCurrency?: boolean;
  readonly atPermille?: number;
  readonly perMs?: number;
  readonly halfLifeMs?: number;
  /** For a profile: its deviation instead of its mean. */
  readonly asks?: 'deviation';
  /** Leaves out the event on which it is read. */
  readonly excludesThis?: boolean;
  /** Counts only events marked for it. */
  readonly filtered?: boolean;
}

const slots = { entity: 0, amount: 1, currency: 2, text: 3, int: 4, counts: 5 } as const;
const firstFeatureSlot = 6;
/** The slot after each feature's slot is for its deviation. */
const slotOf = (index: number): number => firstFeatureSlot + 2 * index;
const types: Readonly<Record<'amount' | 'text' | 'int', FactType>> = { amount: 'decimal', text: 'string', int: 'int' };

/** What a feature is asked for is no part of its state. */
const asked = { atPermille: 0, perMs: 0, asks: '', excludesThis: false };

export function featureOf(spec: BenchFeature, index: number): Feature {
  const ofType = spec.of === undefined ? undefined : types[spec.of];
  return {
    name: `feature${index}`,
    fingerprint: JSON.stringify({ ...spec, kind: keptFor(spec.kind, ofType), ...asked }),
    kind: spec.kind,
    keeps: keptFor(spec.kind, ofType),
    paths: [`feature${index}`],
    wherePaths: [],
    of: spec.of,
    slot: slotOf(index),
    type: typeOfFeature(spec.kind, ofType),
    on: new Set(['operation'] as const),
    ofSlot: spec.of === undefined ? undefined : slots[spec.of],
    ofType,
    bySlots: [slots.entity],
    by: ['payee.id'],
    currencySlot: spec.perCurrency === true ? slots.currency : undefined,
    overMs: spec.overMs,
    atPermille: spec.kind === 'median' ? 500 : spec.atPermille,
    perMs: spec.perMs,
    halfLifeMs: spec.halfLifeMs,
    afterMs: undefined,
    excludesThis: spec.excludesThis === true,
    deviationSlot: spec.kind === 'profile' ? slotOf(index) + 1 : undefined,
    where: spec.filtered === true ? (facts) => facts[slots.counts] === true : undefined,
    whereText: spec.filtered === true ? 'counts' : undefined,
  };
}

/**
 * Number of events until the entity is first put to rest, and by how much this grows each time: windows move in
 * between.
 */
const putAwayFirst = 8;
const putAwayGrowth = 1.5;

function entityKey(): KeyText {
  const key = new KeyText([0, 0]);
  key.set('entity');
  return key;
}

const unread: PlannedReads = { scans: [], alone: [] };

/** One entity with a group of features, driven as the engine drives it. */
export class FeatureBench {
  readonly #table: FeatureTable;
  readonly #inUse = new InUse<Extras>(
    0,
    ({ place }) => place,
    (extras) => extras.group?.putAway(extras),
  );
  #puts = 0;
  #putAwayAt = putAwayFirst;
  readonly #arena = new Arena();
  readonly #runner = new GroupRunner();
  readonly #apart: boolean;
  #specs: readonly BenchFeature[];
  #features: readonly Feature[];
  #group: PlannedGroup;
  #entity: FeatureEntity | undefined;

  /** @param apart whether windows of similar features are scanned one by one */
  constructor(specs: readonly BenchFeature[], bounds?: EntityBounds, apart = false) {
    this.#apart = apart;
    this.#table = new FeatureTable(bounds);
    this.#specs = specs;
    this.#features = specs.map(featureOf);
    this.#group = this.#place();
  }

  get entity(): FeatureEntity | undefined {
    return this.#entity;
  }

  /**
   * The values of all features on this event.
   *
   * @param isAsked whether a rule for such events reads the features; otherwise they are only updated
   */
  put(event: BenchEvent, isAsked = true): readonly FactValue[] {
    const facts: FactValue[] = ['entity', event.amount, event.currency, event.text, event.int, event.counts];
    const seen = { facts, subject: undefined, atMs: event.atMs, logTimeMs: event.logTimeMs };
    this.#putAwaySometimes();
    this.#runner.takeInputs(this.#group, seen);
    this.#entity ??= this.#make((look, key) => void look.begin(key, this.#group.layout));
    if (this.#entity.layout !== this.#group.layout) migrate(this.#entity, this.#group.layout);
    this.#runner.run(isAsked ? this.#group : { ...this.#group, before: unread, after: unread }, this.#entity, seen);
    return this.#features.map(({ slot }, at) => facts[this.#specs[at]!.asks === undefined ? slot : slot + 1]);
  }

  /** Packs the entity's overflow now and then, or the whole entity, as happens to entities that are not in use. */
  #putAwaySometimes(): void {
    if (++this.#puts < this.#putAwayAt || this.#entity === undefined) return;
    this.#putAwayAt = Math.ceil(this.#puts * putAwayGrowth);
    this.#inUse.rest();
    const { group } = this.#entity;
    // The first call only clears the mark of use.
    if (this.#puts % 2 === 0)
      for (let part = 0; part < 2 * partCount; part++) group.restSome(part % partCount, Infinity);
    this.#entity.place(group.find(entityKey()));
  }

  /** Writes the entity and reads it back, as a restart does. */
  restart(): void {
    const bytes = this.bytes();
    if (this.#entity === undefined) return;
    this.#entity = this.#make((look, key) => {
      const reader = new ByteReader(bytes);
      look.begin(key, this.#table.layout(readLayoutId(reader)));
      readFeatureEntity(reader, look);
    });
  }

  #make(fill: (look: FeatureEntity, key: KeyText) => void): FeatureEntity {
    const layouts = (id: number): Layout => this.#table.layout(id);
    const look = new FeatureEntity(
      new FeatureGroup({
        number: 0,
        seed: 1,
        isWhole: true,
        arena: this.#arena,
        layouts,
        inUse: this.#inUse,
        scratch: new Scratch(),
        formOf: (group) => new FeatureForm(group),
      }),
    );
    fill(look, entityKey());
    return look;
  }

  bytes(): Uint8Array {
    const writer = new ByteWriter();
    if (this.#entity !== undefined) writeFeatureEntity(writer, this.#entity);
    return writer.take();
  }

  /** Activates another policy. */
  change(specs: readonly BenchFeature[]): void {
    this.#specs = specs;
    this.#features = specs.map(featureOf);
    this.#group = this.#place();
  }

  #place(): PlannedGroup {
    this.#table.activate(this.#features, 0);
    const group = this.#table.place(this.#features)[0]!;
    const planned = plannedGroup(group, { counted: group.features, reads: group.features });
    if (!this.#apart) return planned;
    const alone = Map.groupBy(planned.reads, ({ isOfBefore }) => isOfBefore);
    return {
      ...planned,
      before: { scans: [], alone: alone.get(true) ?? [] },
      after: { scans: [], alone: alone.get(false) ?? [] },
    };
  }
}
