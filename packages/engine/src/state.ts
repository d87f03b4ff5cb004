import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Facts, Policy } from '@ringfence/policy';
import { RepeatMemory } from './clients/repeat-memory.ts';
import type { ActionTimes } from './deciding/action-times.ts';
import { Suppressions } from './deciding/suppressions.ts';
import { BrowserVersions } from './devices/browser-versions.ts';
import { TokenMemory } from './devices/token-memory.ts';
import { TraitStatistics } from './devices/trait-statistics.ts';
import type { Decision, Effect } from './effect.ts';
import { engineVersion } from './engine-version.ts';
import { featuresInUseMax, inUseMax, roomyBytes } from './limits.ts';
import { FeatureTable } from './features/store/feature-table.ts';
import type { EntityBounds } from './features/store/layout.ts';
import { LiveLists } from './lists/live-lists.ts';
import type { HashKey } from './store/memory/half-sip-hash.ts';
import { emptyPlan, type Plan } from './plan/plan.ts';
import type { EngineSettings } from './record.ts';
import { DirectoryLookup } from './sessions/directory-lookup.ts';
import { EntityStore } from './store/entities/entity-store.ts';
import { WaitingQueue } from './waiting/waiting-queue.ts';

/** What is in force before the first settings record: careful, nothing is sent. */
export const defaultSettings: EngineSettings = {
  sessionGraceMs: 5 * secondMs,
  blockMs: dayMs,
  timezone: 'UTC',
  deliver: 'observe',
  sessionDefaults: { idleMs: 30 * minuteMs, absoluteMs: 12 * hourMs, sessions: 'required' },
  channels: {},
};

const noOffsets: ReadonlySet<number> = new Set();

/**
 * All that decides what the next record does. It changes in place, by `step` alone; the host holds it and looks into
 * it by the functions of this package only.
 */
export class EngineState {
  /** Offset and log time of the last record that was stepped. */
  offset: number;
  logTimeMs = 0;
  /** The version that the last `engine` record named. */
  engineVersion: string = engineVersion;
  settings: EngineSettings = defaultSettings;
  policy: Policy | undefined;
  plan: Plan = emptyPlan();
  /** Of the event under question. */
  facts: Facts = [];
  /** Offset of the record that is being stepped, or that has an event decided: the one to blame when the engine throws. */
  underHand = -1;
  features: FeatureTable;
  readonly waiting = new WaitingQueue();
  /** By reason. */
  readonly actionTimes = new Map<number, ActionTimes>();
  /** Of operations that name no client. */
  readonly anonymous = new RepeatMemory();
  readonly tokens = new TokenMemory();
  readonly traits = new TraitStatistics();
  readonly browsers = new BrowserVersions();
  readonly lists = new LiveLists();
  readonly suppressions = new Suppressions();
  readonly store: EntityStore;
  /** Part of a question, not of the state. */
  readonly directory: DirectoryLookup;
  /**
   * Of a fold: operations that still wait where the policy begins that it is for. They are not applied here, only known as
   * sent: the engine that goes on counts them when it decides them.
   */
  leftWaiting: ReadonlySet<number> = noOffsets;
  /** Effects of the record that is being stepped: it may have to wait for entities halfway. */
  begun: Effect[] | undefined;
  /** More operations that waited are to be decided at the record under hand than are at once. */
  isUnfinished = false;
  /** Offset of a login that is decided, while operations that waited for it are not yet. */
  opening: number | undefined;
  readonly onDecided: StateOptions['onDecided'];

  constructor(options: StateOptions) {
    this.offset = options.offset ?? -1;
    this.onDecided = options.onDecided;
    this.features = new FeatureTable(options.bounds);
    this.store = new EntityStore({
      complete: options.complete,
      hashKey: options.hashKey ?? [0, 0],
      layouts: (id) => this.features.layout(id),
      inUseMax: options.inUseMax ?? inUseMax,
      featuresInUseMax: options.inUseMax ?? featuresInUseMax,
      roomyBytes: options.roomyBytes ?? roomyBytes,
    });
    this.directory = new DirectoryLookup(this.store);
  }
}

export interface StateOptions {
  /** Whether all that exists is in memory: nothing is asked for, and what is unknown is absent. */
  readonly complete: boolean;
  /** Secret of the tables that entities are found by, so that nobody chooses names that collide. Changes no decision. */
  readonly hashKey?: HashKey;
  /** Below that of the first record; left out: -1. */
  readonly offset?: number;
  /** Hears of each decision while the facts that it was made on are there, for who asks why. Changes nothing. */
  readonly onDecided?: ((state: EngineState, decision: Decision) => void) | undefined;
  /** How much one entity keeps exactly; left out but in tests. */
  readonly bounds?: EntityBounds;
  /** Clients, and feature entities, that are kept in use, others are packed; left out but in tests. Changes no decision. */
  readonly inUseMax?: number;
  /** Memory up to which feature entities are not packed; left out but in tests. Changes no decision. */
  readonly roomyBytes?: number;
}

/** The state before the first record of a log. With `complete` left out, entities are asked for as they are needed. */
export function newState(options: StateOptions = { complete: false }): EngineState {
  return new EngineState(options);
}
