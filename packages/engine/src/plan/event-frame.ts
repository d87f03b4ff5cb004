import { assert } from '@ringfence/contract';
import type { CountedKind, Facts } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { Effect, SessionMismatch } from '../effect.ts';
import type { Arrival } from '../facts/event-context.ts';
import type { FeatureEntity } from '../features/store/feature-entity.ts';
import type { KeyText, Sought } from '../store/store.ts';
import type { SubjectId } from '../record.ts';
import { type GroupKeys, KeyPool } from './group-key.ts';
import type { KindPlan } from './kind-plan.ts';
import type { PlannedGroup } from './planned-group.ts';

/** The entity of one group that an event is about. */
export interface FoundEntity extends Sought {
  readonly group: PlannedGroup;
}

/** What a frame is built from. */
export interface FrameShape {
  readonly factCount: number;
  readonly kinds: Readonly<Record<CountedKind, KindPlan>>;
  /** An accessor for each group of features, by place. */
  readonly looks: readonly FeatureEntity[];
  readonly newKey: () => KeyText;
}

/** A frame, as used by one kind of event. */
export interface KindFrame {
  readonly plan: KindPlan;
  /** The entities that the event is about, by place of their group; `undefined` if the kind does not use the group. */
  readonly byGroup: readonly (FoundEntity | undefined)[];
  /** The same without gaps. */
  readonly found: readonly FoundEntity[];
  /** Their names, to be written first. */
  readonly keys: GroupKeys;
}

/**
 * An event between its facts and its decision, with everything that features and rules need. Other events may be
 * looked at before it is decided, so it holds copies only, not an `EventContext`, whose views are valid until the next
 * event.
 */
export class EventFrame {
  readonly facts: Facts;
  readonly kinds: Readonly<Record<CountedKind, KindFrame>>;
  /** Of the event's kind. */
  own: KindFrame;
  subject: SubjectId | undefined = undefined;
  /** The event's own time. */
  atMs = 0;
  /** Log time of the decision. */
  logTimeMs = 0;
  arrival!: Arrival;
  /** Whether it belongs to its session, and why not. */
  isMatched = false;
  mismatch: SessionMismatch | undefined = undefined;
  /** `ip.country` */
  country: string | undefined = undefined;
  /** The id of the device that it comes from; only filled in if the policy has an action that makes devices trusted. */
  device: string | undefined = undefined;
  /** `undefined` if the event names none. */
  client: ClientEntity | undefined = undefined;
  /** Offset at which its open session began; undefined without one. */
  openedOffset: number | undefined = undefined;
  /** The record at which it is decided: its own, unless it has waited. */
  byOffset = 0;
  /** Where its decision and actions are added. */
  effects!: Effect[];
  /** Whether each of its entities is known to be present or absent. */
  isKnown = false;

  constructor(shape: FrameShape) {
    this.facts = Array.from({ length: shape.factCount }, () => undefined);
    const keys = new KeyPool(shape.newKey);
    const { login, logout, operation, outcome } = shape.kinds;
    const kindFrame = (plan: KindPlan): KindFrame => {
      const byGroup = plan.planned.map((group, place) =>
        group === undefined ? undefined : foundIn(group, shape.looks[place]!, keys.keyOf(group.by)),
      );
      const found = byGroup.filter((one) => one !== undefined);
      return { plan, byGroup, found, keys: keys.keysOf(found.map(({ group }) => group.by)) };
    };
    this.kinds = {
      login: kindFrame(login),
      logout: kindFrame(logout),
      operation: kindFrame(operation),
      outcome: kindFrame(outcome),
    };
    this.own = this.kinds.operation;
  }
}

function foundIn(group: PlannedGroup, look: FeatureEntity, key: KeyText): FoundEntity {
  return { group, key, subject: undefined, look, known: 'unknown', block: 0 };
}

/**
 * The events that are applied to their clients but not decided, in order. Frames are reused: an event is prepared in
 * the `free` one, and becomes pending by `add`.
 */
export class PendingEvents {
  readonly #frames: EventFrame[] = [];
  readonly #shape: FrameShape;
  #count = 0;

  constructor(shape: FrameShape) {
    this.#shape = shape;
  }

  get count(): number {
    return this.#count;
  }

  /** An accessor for each group of features, by place. */
  get looks(): readonly FeatureEntity[] {
    return this.#shape.looks;
  }

  at(place: number): EventFrame {
    return this.#frames[place]!;
  }

  /** The frame to prepare the next event in; the same one until it is added. */
  get free(): EventFrame {
    return (this.#frames[this.#count] ??= new EventFrame(this.#shape));
  }

  /** @param effects where its decision and actions are added once it is decided */
  add(frame: EventFrame, effects: Effect[]): void {
    assert(frame === this.#frames[this.#count], 'only the free frame can become pending');
    frame.effects = effects;
    this.#count++;
  }

  clear(): void {
    this.#count = 0;
  }
}
