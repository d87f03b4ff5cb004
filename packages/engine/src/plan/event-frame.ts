import type { EventKind } from '@ringfence/contract';
import type { Facts } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { Effect, SessionMismatch } from '../effect.ts';
import type { Arrival } from '../facts/event-context.ts';
import type { FeatureEntity } from '../features/store/feature-entity.ts';
import type { KeyText } from '../store/memory/key-text.ts';
import type { SubjectId } from '../record.ts';
import type { Sought } from '../store/entities/entity-store.ts';
import { type GroupKeys, KeyPool } from './group-key.ts';
import type { KindPlan } from './kind-plan.ts';
import type { PlannedGroup } from './planned-group.ts';

/** The entity of one group that an event is about. */
export interface FoundEntity extends Sought {
  readonly group: PlannedGroup;
}

/** What a frame is made for. */
export interface FrameShape {
  readonly factCount: number;
  readonly kinds: Readonly<Record<EventKind, KindPlan>>;
  /** Into each group of features, by place. */
  readonly looks: readonly FeatureEntity[];
  readonly newKey: () => KeyText;
}

/** A frame, as one kind of event uses it. */
export interface KindFrame {
  readonly plan: KindPlan;
  /** The entities that the event is about, by place of their group; `undefined` where it meets none. */
  readonly byGroup: readonly (FoundEntity | undefined)[];
  /** The same without gaps. */
  readonly found: readonly FoundEntity[];
  /** Their names, to be written first. */
  readonly keys: GroupKeys;
}

/**
 * An event between its facts and its decision: all that features and rules need to go on with it. Other events may be
 * looked at before it is decided, so it holds copies only: no `EventContext`, whose views end with the next event.
 */
export class EventFrame {
  readonly facts: Facts;
  readonly kinds: Readonly<Record<EventKind, KindFrame>>;
  /** Of the event's kind. */
  own: KindFrame;
  subject: SubjectId | undefined = undefined;
  /** The event's own time. */
  atMs = 0;
  /** When it is decided. */
  logTimeMs = 0;
  arrival!: Arrival;
  /** Whether it belongs to its session, and why not. */
  isMatched = false;
  mismatch: SessionMismatch | undefined = undefined;
  /** The id of the device that it comes from; filled in only where an action of the policy makes devices trusted. */
  device: string | undefined = undefined;
  /** `undefined` when the event names none. */
  client: ClientEntity | undefined = undefined;
  /** Where the open session began that it belongs to, or opens. */
  openedOffset: number | undefined = undefined;
  /** The record that has it decided: its own, unless it has waited. */
  byOffset = 0;
  /** Where its decision goes, with its actions. */
  effects!: Effect[];

  constructor(shape: FrameShape) {
    this.facts = Array.from({ length: shape.factCount }, () => undefined);
    const keys = new KeyPool(shape.newKey);
    const { login, logout, operation } = shape.kinds;
    const kindFrame = (plan: KindPlan): KindFrame => {
      const byGroup = plan.planned.map((group, place) =>
        group === undefined ? undefined : foundIn(group, shape.looks[place]!, keys.keyOf(group.by)),
      );
      const found = byGroup.filter((one) => one !== undefined);
      return { plan, byGroup, found, keys: keys.keysOf(found.map(({ group }) => group.by)) };
    };
    this.kinds = { login: kindFrame(login), logout: kindFrame(logout), operation: kindFrame(operation) };
    this.own = this.kinds.operation;
  }
}

function foundIn(group: PlannedGroup, look: FeatureEntity, key: KeyText): FoundEntity {
  return { group, key, subject: undefined, look, known: 'unknown', block: 0 };
}

/** Frames of a plan: the first `count` hold events that are to be decided, in their order. */
export class EventFrames {
  readonly #all: EventFrame[] = [];
  readonly #shape: FrameShape;
  count = 0;

  constructor(shape: FrameShape) {
    this.#shape = shape;
  }

  /** Looks into the groups of features, by place. */
  get looks(): readonly FeatureEntity[] {
    return this.#shape.looks;
  }

  at(place: number): EventFrame {
    return this.#all[place]!;
  }

  /** The frame of the event under question: the next one that is free. */
  get next(): EventFrame {
    return (this.#all[this.count] ??= new EventFrame(this.#shape));
  }
}
